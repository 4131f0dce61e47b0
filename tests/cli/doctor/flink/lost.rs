//! Settings that are written somewhere and reach nobody.

use super::{args, flink, flink_of};
use crate::doctor::tells;
use crate::scene::Scene;

const FILE: &str = "@root/flink/conf/config.yaml";

#[track_caller]
fn loses(scene: &Scene, words: &[&str], expected: &[&str]) {
    tells(scene, &args(&["--taskmanager"], words), "options", expected);
}

const START: [&str; 2] = ["taskmanager.sh", "start"];

#[test]
fn written_twice_the_last_one_counts() {
    let scene = flink().file(
        "flink/conf/config.yaml",
        "env:\n  java:\n    opts:\n      taskmanager: -Da=1\nenv.java.opts.taskmanager: -Db=2\n",
    );
    let said = format!(
        "warn env.java.opts.taskmanager ({FILE} line 4) is lost: env.java.opts.taskmanager ({FILE} line 5) replaces it; put \
         the options of both into one value"
    );
    loses(&scene, &START, &[&said]);
    let flat = "@root/flink/conf/flink-conf.yaml";
    let scene =
        flink_of("1.14.6", "flink-conf.yaml").file("flink/conf/flink-conf.yaml", "rest.port: 1\nrest.port: 2\n");
    let said =
        format!("warn rest.port ({flat} line 1) is lost: rest.port ({flat} line 2) replaces it; take one of them out");
    loses(&scene, &START, &[&said]);
    // The same value twice loses nothing.
    loses(&scene.file("flink/conf/flink-conf.yaml", "rest.port: 1\nrest.port: 1\n"), &START, &[]);
}

#[test]
fn a_setting_of_the_command_line_replaces_that_of_the_file() {
    let key = "env.java.opts.taskmanager";
    let scene = flink().file("flink/conf/config.yaml", format!("{key}: -Da=1\n"));
    let (first, second) = (format!("-D{key}=-Db=2"), format!("-D{key}=-Dc=3"));
    let words = ["run-application", "-t", "yarn-application", &first, &second, "app.jar"];
    let typed = format!(
        "warn -D{key} (argument 4) is lost: -D{key} (argument 5) replaces it; put the options of both into one value"
    );
    let file = format!(
        "warn {key} ({FILE} line 1) is lost: -D{key} (argument 5) replaces it; put the options of both into one value"
    );
    loses(&scene, &words, &[&typed, &file]);
}

#[test]
fn a_variable_takes_the_place_of_keys() {
    let scene = flink()
        .file("flink/conf/config.yaml", "env.java.opts.taskmanager: -Da=1\nenv.java.opts.all: -Db=2\n")
        .env("FLINK_ENV_JAVA_OPTS_TM", "-Dc=3")
        .env("FLINK_ENV_JAVA_OPTS", "-Dd=4");
    let said = |variable: &str, key: &str, line| {
        format!(
            "warn {variable} in the environment takes the place of {key} ({FILE} line {line}), of which the JVMs here get \
             nothing; JVM_ARGS adds to it"
        )
    };
    let all = said("FLINK_ENV_JAVA_OPTS", "env.java.opts.all", 2);
    loses(&scene, &START, &[&all, &said("FLINK_ENV_JAVA_OPTS_TM", "env.java.opts.taskmanager", 1)]);
}

#[test]
fn keys_that_are_nobodys() {
    let scene =
        flink().file("flink/conf/config.yaml", "env.java.opts.taskmanger: -Da=1\nenv.java.opts: -Db=1\nx.y: 1\n");
    let near = format!(
        "warn env.java.opts.taskmanger ({FILE} line 1) is no key of Flink's, and is ignored; did you mean \
         env.java.opts.taskmanager?"
    );
    loses(&scene, &START, &[&near]);
    let both = flink().file("flink/conf/config.yaml", "env.java.opts: -Da=1\nenv.java.opts.all: -Db=1\n");
    let said = format!(
        "warn env.java.opts ({FILE} line 1) is ignored because env.java.opts.all ({FILE} line 2) is set; put its options \
         into the other, or into the key of the role"
    );
    loses(&both, &START, &[&said]);
}

#[test]
fn keys_that_came_later() {
    let flat = "@root/flink/conf/flink-conf.yaml";
    let text = "env.java.opts.all: -Da=1\nenv.java.default-opts.all: -Db=1\nenv.java.opts.client: -Dc=1\n";
    let of = |version: &str| flink_of(version, "flink-conf.yaml").file("flink/conf/flink-conf.yaml", text);
    let all = format!(
        "warn env.java.opts.all ({flat} line 1) is not read by Flink 1.14.6; it came with 1.18; write env.java.opts"
    );
    let default = |version: &str, write: &str| {
        format!(
            "warn env.java.default-opts.all ({flat} line 2) is not read by Flink {version}; it came with 1.19; write {write}"
        )
    };
    loses(&of("1.14.6"), &START, &[&all, &default("1.14.6", "env.java.opts")]);
    loses(&of("1.18.1"), &START, &[&default("1.18.1", "env.java.opts.all")]);
    // Its script takes JVM_ARGS alone.
    let client = format!(
        "warn env.java.opts.client ({flat} line 3) is not read by sql-client.sh of Flink 1.18.1; put it into JVM_ARGS"
    );
    let sql = args(&["--client=attach:@port"], &["sql-client.sh"]);
    tells(&of("1.18.1"), &sql, "options", &[&default("1.18.1", "env.java.opts.all"), &client]);
    let reads = of("1.18.1").script("flink/bin/sql-client.sh", "FLINK_ENV_JAVA_OPTS=\"$FLINK_ENV_JAVA_OPTS_CLI\"\n");
    tells(&reads, &sql, "options", &[&default("1.18.1", "env.java.opts.all")]);
}

#[test]
fn read_too_late() {
    let words = ["taskmanager.sh", "start", "-Denv.java.opts.taskmanager=-Da=1"];
    let said = "warn `-Denv.java.opts.taskmanager` is read too late here: it reaches no JVM; write it into the configuration \
                file, or into JVM_ARGS";
    loses(&flink(), &words, &[said]);
}

#[test]
fn behind_the_job() {
    let words = ["run", "-p", "2", "app.jar", "-Dx=1", "--target=local", "--input", "f", "-D"];
    let said = "warn `-Dx` (argument 5) and `--target` (argument 6) behind `app.jar` goes to the program, not to Flink; if \
                Flink is meant, put it before `app.jar`";
    tells(&flink(), &args(&["--client=attach:@port"], &words), "options", &[said]);
}

#[test]
fn files_beside_the_one_that_is_read() {
    let client = args(&["--client=attach:@port"], &["run", "app.jar"]);
    let both = |version| flink_of(version, "config.yaml").file("flink/conf/flink-conf.yaml", "rest.port: 1\n");
    let flat = "ok reads @root/flink/conf/flink-conf.yaml";
    let unread = "warn `@root/flink/conf/config.yaml` is not read, since flink-conf.yaml is; ";
    let take = format!("{unread}to have it read, take flink-conf.yaml away");
    tells(&both("1.20.1"), &client, "config", &[flat, &take]);
    let write = format!("{unread}write settings into flink-conf.yaml: config.yaml came with Flink 1.19");
    tells(&both("1.18.1"), &client, "config", &[flat, &write]);
    let ignored = "warn `@root/flink/conf/flink-conf.yaml` is ignored: Flink 2.1.0 reads config.yaml only; move its settings \
                   into config.yaml";
    tells(&both("2.1.0"), &client, "config", &["ok reads @root/flink/conf/config.yaml", ignored]);
    let missing = "fail there is no `@root/flink/conf/config.yaml`, and Flink does not start without it; set FLINK_CONF_DIR to \
                   a directory that has one";
    tells(&flink_of("2.1.0", "flink-conf.yaml"), &client, "config", &[missing, ignored]);
}
