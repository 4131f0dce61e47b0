"""A debugger for Python in a nutshell: dap.py PORT FILE LINE EXPRESSION

Attaches to the debugpy that listens on PORT of 127.0.0.1, stops at the line once, prints what the expression is there,
and lets the program go on. Speaks the Debug Adapter Protocol.
"""

import json
import socket
import sys
import time

LIMIT = 120  # seconds, for a Spark to come as far as the line


def connected(port):
    end = time.monotonic() + LIMIT
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=LIMIT)
        except ConnectionRefusedError:
            if time.monotonic() > end:
                sys.exit(f"nobody listened on {port}")
            time.sleep(0.1)


class Session:
    def __init__(self, port):
        self.socket = connected(port)
        self.file = self.socket.makefile("rb")
        self.number = 0

    def send(self, command, **arguments):
        self.number += 1
        request = {"seq": self.number, "type": "request", "command": command, "arguments": arguments}
        body = json.dumps(request).encode()
        self.socket.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def wait(self, kind, name):
        """Waits for a response (named `command`) or an event (named `event`); others are passed over."""
        while True:
            length = 0
            while (line := self.file.readline().strip()) != b"":
                length = int(line.split(b":")[1])
            if length == 0:
                sys.exit(f"the connection ended before the {kind} `{name}`")
            message = json.loads(self.file.read(length))
            if message["type"] == kind and message.get("command" if kind == "response" else "event") == name:
                return message.get("body", {})
            if message.get("event") == "terminated":
                sys.exit(f"the program ended before the {kind} `{name}`")

    def ask(self, command, **arguments):
        self.send(command, **arguments)
        return self.wait("response", command)


def main(port, file, line, expression):
    session = Session(int(port))
    session.ask("initialize", adapterID="debugpy")
    session.send("attach", justMyCode=False)
    session.wait("event", "initialized")
    session.ask("setBreakpoints", source={"path": file}, breakpoints=[{"line": int(line)}])
    session.ask("configurationDone")
    thread = session.wait("event", "stopped")["threadId"]
    frame = session.ask("stackTrace", threadId=thread)["stackFrames"][0]
    print(frame["line"], session.ask("evaluate", expression=expression, frameId=frame["id"])["result"])
    session.ask("setBreakpoints", source={"path": file}, breakpoints=[])
    session.ask("continue", threadId=thread)
    session.ask("disconnect", terminateDebuggee=False)


main(*sys.argv[1:])
