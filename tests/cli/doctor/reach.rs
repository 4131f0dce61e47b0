//! Whether each side finds the other.

use std::net::TcpListener;

use super::{tells, well};

#[test]
fn a_listener_is_seen_and_not_dialled() {
    if !cfg!(target_os = "linux") {
        crate::scene::not_run("what needs a socket table");
        return;
    }
    let scene = well();
    let listener = TcpListener::bind(("127.0.0.1", scene.port())).expect("free");
    listener.set_nonblocking(true).unwrap();
    let args = ["doctor", "--listen", "127.0.0.1:@port", "--", "app.jar"];
    tells(&scene, &args, "listener", &["ok driver: somebody listens on 127.0.0.1:@port; it was not dialled"]);
    assert_eq!(listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn executors_on_a_cluster() {
    let yarn = |option| ["doctor", "--executor", option, "203.0.113.9:5005", "--", "--master", "yarn", "app.jar"];
    tells(
        &well(),
        &yarn("--listen"),
        "reach",
        &[
            "warn executor: `203.0.113.9` is no address of this machine; whether the cluster's hosts reach it cannot be seen \
           from here; from one of them: ping 203.0.113.9",
        ],
    );
    tells(
        &well(),
        &yarn("--listen"),
        "listener",
        &[
            "warn executor: whether a debugger listens on 203.0.113.9:5005 cannot be seen from here; start it in its listen \
           mode before the command",
        ],
    );
    let args = ["doctor", "--executor", "--", "--master", "yarn", "app.jar"];
    tells(
        &well(),
        &args,
        "reach",
        &[
            "ok executor: only its own host reaches its port; from here: ssh -L PORT:127.0.0.1:PORT ITS_HOST, which `sparkdbg \
           ps` names",
        ],
    );
}

#[test]
fn a_driver_on_a_cluster() {
    let args = ["doctor", "--driver", "--", "--master", "yarn", "--deploy-mode", "cluster", "app.jar"];
    tells(
        &well(),
        &args,
        "port",
        &["warn driver: whether port 5005 is free on its host cannot be seen from here; let the JVM pick one: \
           --driver=attach:0"],
    );
    tells(
        &well(),
        &args,
        "deployment",
        &[
            "ok master `yarn` (--master, argument 2), deploy mode `cluster` (--deploy-mode, argument 4): the driver runs on \
           the cluster, executors on the cluster",
        ],
    );
}

/// A pod has all ports for itself.
#[test]
fn an_executor_in_a_pod() {
    let args = ["doctor", "--executor=attach:5007", "--", "--master", "k8s://127.0.0.1:6443", "app.jar"];
    tells(&well(), &args, "port", &["ok executor: port 5007 of a pod of its own, where nobody else wants it"]);
}

#[test]
fn a_master_whose_name_means_nothing_here() {
    let args = ["doctor", "--executor", "--", "--master", "spark://no-such-host.invalid:7077", "app.jar"];
    tells(
        &well(),
        &args,
        "deployment",
        &[
            "ok master `spark://no-such-host.invalid:7077` (--master, argument 2): the driver runs on this machine, \
             executors on the cluster",
            "fail the host of the master has no address: `no-such-host.invalid`; write an address, or a name that this \
             machine knows",
        ],
    );
}

#[test]
fn everybody_may_come() {
    let args = ["doctor", "--attach", "0.0.0.0:@port", "--", "app.jar"];
    let said = "warn whoever reaches port @port of `0.0.0.0` can run any code in the driver; say who may: --allow \
                IP[/BITS]; or keep to 127.0.0.1 and a tunnel";
    tells(&well(), &args, "reach", &[said]);
}
