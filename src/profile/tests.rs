//! Real files in a temporary home; messages are compared whole, with the temporary path cut off.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, symlink};

use tempfile::TempDir;

use crate::endpoint::Mode;

use super::*;

const PROJECT: &str = "home/project/sparkdbg.toml";
const USER: &str = "home/.config/sparkdbg/config.toml";

/// `home/project/sub` is the working directory, `home` is `$HOME`.
struct World {
    root: PathBuf,
    _temp: TempDir,
}

impl World {
    fn new(files: &[(&str, &str)]) -> World {
        let temp = TempDir::new().unwrap();
        let world = World { root: temp.path().canonicalize().unwrap(), _temp: temp };
        world.directory("home/project/sub");
        for (path, content) in files {
            world.write(path, content);
        }
        world
    }

    fn project(content: &str) -> World {
        World::new(&[(PROJECT, content)])
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// With a mode that does not depend on the umask of the test.
    fn directory(&self, path: &str) {
        let mut directory = self.root.clone();
        for name in Path::new(path) {
            directory.push(name);
            if !directory.exists() {
                fs::create_dir(&directory).unwrap();
                fs::set_permissions(&directory, Permissions::from_mode(0o755)).unwrap();
            }
        }
    }

    fn write(&self, path: &str, content: &str) {
        self.directory(Path::new(path).parent().unwrap().to_str().unwrap());
        fs::write(self.path(path), content).unwrap();
        self.mode(path, 0o644);
    }

    fn mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.path(path), Permissions::from_mode(mode)).unwrap();
    }

    fn load_from(&self, cwd: &str, wanted: Option<&str>) -> Result<Loaded, Failure> {
        let (cwd, home) = (self.path(cwd), self.path("home"));
        let search = Search { config: None, cwd: &cwd, home: Some(&home), xdg_config_home: None };
        load(&search, wanted.map(|name| (name, "--profile")))
    }

    fn load(&self, wanted: Option<&str>) -> Result<Loaded, Failure> {
        self.load_from("home/project/sub", wanted)
    }

    fn profile(&self, name: &str) -> Profile {
        self.load(Some(name)).unwrap().profile
    }

    fn config(&self, config: &str, wanted: Option<&str>) -> Result<Loaded, Failure> {
        let (cwd, home) = (self.path("home/project"), self.path("home"));
        let search = Search { config: Some(Path::new(config)), cwd: &cwd, home: Some(&home), xdg_config_home: None };
        load(&search, wanted.map(|name| (name, "SPARKDBG_PROFILE")))
    }

    /// The error as printed, with `/home/…` for the temporary home.
    fn error(&self, result: Result<Loaded, Failure>) -> String {
        let failure = result.unwrap_err();
        assert_eq!(failure.kind, crate::error::Kind::World);
        failure.to_string().replace(self.root.to_str().unwrap(), "")
    }

    fn shown(&self, origin: &Origin) -> String {
        origin.to_string().replace(self.root.to_str().unwrap(), "")
    }

    fn files(&self, loaded: &Loaded) -> Vec<String> {
        loaded.files.iter().map(|file| file.strip_prefix(&self.root).unwrap().to_str().unwrap().to_owned()).collect()
    }
}

/// The error of a project's file with this content, without `/home/project/sparkdbg.toml`.
fn refusal(content: &str) -> String {
    let world = World::project(content);
    world.error(world.load(None)).replace("`/home/project/sparkdbg.toml` ", "")
}

fn spec(text: &str) -> EndpointSpec {
    text.parse().unwrap()
}

#[test]
fn no_file_is_fine() {
    let loaded = World::new(&[]).load(None).unwrap();
    assert_eq!(loaded, Loaded { name: None, named_by: None, profile: Profile::default(), files: vec![] });
}

#[test]
fn every_key_arrives_with_its_line() {
    let world = World::project(
        r#"default-profile = "all"

[profile.all]
driver = "attach:5005,nosuspend"
executor = { mode = "listen", host = "10.0.0.171", port = 5_005, suspend = false }
daemon = "attach"
client = { mode = "attach" }
jobmanager = "attach:0"
allow = ["10.0.0.0/8", "::1"]
existing = "keep"
one-executor = true
pause-limit = "30m"
spark-home = "~/spark"
flink-home = "../flink"
worker-master = "spark://10.0.0.1:7077"

[profile.all.taskmanager]
mode = "attach"
host = "[::1]"
port = 0x138e
"#,
    );
    let Loaded { name, profile, files, .. } = world.load(None).unwrap();
    assert_eq!(name.as_deref(), Some("all"));
    assert_eq!(files, [world.path(PROJECT)]);
    let origin = |line| Origin { file: world.path(PROJECT), line, project: true, profile: "all".to_owned() };
    fn at<T>(value: T, origin: Origin) -> Option<Sourced<T>> {
        Some(Sourced { value, origin })
    }
    let expected = Profile {
        driver: at(spec("attach:5005,nosuspend"), origin(4)),
        executor: at(spec("listen:10.0.0.171:5005,nosuspend"), origin(5)),
        daemon: at(spec("attach"), origin(6)),
        client: at(spec("attach"), origin(7)),
        jobmanager: at(spec("attach:0"), origin(8)),
        taskmanager: at(spec("attach:[::1]:5006"), origin(17)),
        allow: at(vec!["10.0.0.0/8".to_owned(), "::1".to_owned()], origin(9)),
        existing: at(Existing::Keep, origin(10)),
        one_executor: at(true, origin(11)),
        pause_limit: at(PauseLimit::Limit(Duration::from_secs(1800)), origin(12)),
        spark_home: at(world.path("home/spark"), origin(13)),
        flink_home: at(world.path("home/project/../flink"), origin(14)),
        worker_master: at("spark://10.0.0.1:7077".to_owned(), origin(15)),
    };
    assert_eq!(profile, expected);
    for role in Role::ALL {
        assert!(profile.endpoint(role).is_some(), "{role}");
    }
    assert_eq!(profile.endpoint(Role::Executor).unwrap().value.mode, Mode::Listen);
    assert_eq!(world.shown(&profile.driver.unwrap().origin), "/home/project/sparkdbg.toml:4 (profile all)");
}

#[test]
fn one_address_needs_no_array_and_an_absolute_home_stays() {
    let world = World::project("[profile.a]\nallow = \"10.0.0.7\"\nspark-home = \"/opt/spark\"\nflink-home = \"~\"\n");
    let profile = world.profile("a");
    assert_eq!(profile.allow.unwrap().value, ["10.0.0.7"]);
    assert_eq!(profile.spark_home.unwrap().value, Path::new("/opt/spark"));
    assert_eq!(profile.flink_home.unwrap().value, world.path("home"));
}

#[test]
fn a_home_directory_needs_home() {
    let world = World::project("[profile.a]\nspark-home = \"~/spark\"\n");
    let cwd = world.path("home/project");
    let search = Search { config: None, cwd: &cwd, home: None, xdg_config_home: None };
    assert_eq!(
        world.error(load(&search, None)),
        "error: `/home/project/sparkdbg.toml` line 2: `spark-home` in profile `a`: `~/spark` needs `HOME`, which is not set"
    );
}

#[test]
fn the_nearest_project_file_is_used_and_home_is_the_last_place() {
    let world = World::new(&[("sparkdbg.toml", "broken"), ("home/sparkdbg.toml", "[profile.home]")]);
    assert_eq!(world.files(&world.load(None).unwrap()), ["home/sparkdbg.toml"]);
    world.write(PROJECT, "[profile.project]");
    assert_eq!(world.files(&world.load(None).unwrap()), [PROJECT]);
    world.write("home/project/sub/sparkdbg.toml", "[profile.sub]");
    assert_eq!(world.files(&world.load(None).unwrap()), ["home/project/sub/sparkdbg.toml"]);

    let world = World::new(&[("sparkdbg.toml", "broken")]);
    assert!(world.load(None).unwrap().files.is_empty());
    // Also when HOME is spelled differently.
    symlink(world.path("home"), world.path("alias")).unwrap();
    let (cwd, home) = (world.path("home/project"), world.path("alias"));
    let search = Search { config: None, cwd: &cwd, home: Some(&home), xdg_config_home: None };
    assert!(load(&search, None).unwrap().files.is_empty());
    // Outside of HOME nothing stops the way up.
    world.directory("elsewhere/deep");
    assert_eq!(
        world.error(world.load_from("elsewhere/deep", None)),
        "error: `/sparkdbg.toml` line 1: key with no value, expected `=`"
    );
}

#[test]
fn the_users_file_is_below_xdg_config_home_or_home() {
    let world = World::new(&[(USER, "[profile.a]"), ("xdg/sparkdbg/config.toml", "[profile.a]")]);
    assert_eq!(world.files(&world.load(None).unwrap()), [USER]);
    let (cwd, home, xdg) = (world.path("home/project"), world.path("home"), world.path("xdg"));
    let search = Search { config: None, cwd: &cwd, home: Some(&home), xdg_config_home: Some(&xdg) };
    assert_eq!(world.files(&load(&search, None).unwrap()), ["xdg/sparkdbg/config.toml"]);
    let search = Search { xdg_config_home: Some(Path::new("xdg")), ..search };
    assert_eq!(world.files(&load(&search, None).unwrap()), [USER]);
    let search = Search { home: None, ..search };
    assert!(load(&search, None).unwrap().files.is_empty());
}

#[test]
fn the_project_wins_key_by_key_and_an_endpoint_is_replaced_whole() {
    let world = World::new(&[
        (PROJECT, "[profile.a]\ndriver = \"attach\"\none-executor = false\n"),
        (USER, "[profile.a]\none-executor = true\ndriver = \"attach:10.0.0.1:6000\"\n\nexisting = \"fail\"\n"),
    ]);
    assert_eq!(world.files(&world.load(None).unwrap()), [PROJECT, USER]);
    let profile = world.profile("a");
    let driver = profile.driver.unwrap();
    assert_eq!((driver.value, driver.origin.project), (spec("attach"), true));
    assert!(!profile.one_executor.unwrap().value);
    let existing = profile.existing.unwrap();
    assert_eq!((existing.value, existing.origin.project), (Existing::Fail, false));
    assert_eq!(world.shown(&existing.origin), "/home/.config/sparkdbg/config.toml:5 (profile a)");
}

#[test]
fn inheritance_crosses_files_and_the_projects_inherits_wins() {
    let world = World::new(&[
        (PROJECT, "[profile.top]\ninherits = \"middle\"\n[profile.base]\nallow = \"10.0.0.1\"\n"),
        (
            USER,
            "[profile.top]\ninherits = \"nowhere\"\nexisting = \"keep\"\n[profile.middle]\ninherits = \"base\"\n\
             driver = \"attach:1\"\nexisting = \"fail\"\n[profile.base]\ndriver = \"attach:2\"\npause-limit = \"off\"\n",
        ),
    ]);
    let profile = world.profile("top");
    assert_eq!(profile.existing.unwrap().value, Existing::Keep);
    let driver = profile.driver.unwrap();
    assert_eq!(driver.value, spec("attach:1"));
    assert_eq!(world.shown(&driver.origin), "/home/.config/sparkdbg/config.toml:6 (profile middle)");
    assert_eq!(profile.pause_limit.unwrap().value, PauseLimit::Off);
    assert_eq!(world.shown(&profile.allow.unwrap().origin), "/home/project/sparkdbg.toml:4 (profile base)");
}

#[test]
fn a_cycle_names_its_chain() {
    let world = World::new(&[
        (PROJECT, "[profile.start]\ninherits = \"a\"\n[profile.a]\ninherits = \"b\"\n"),
        (USER, "[profile.b]\n\ninherits = \"a\"\n"),
    ]);
    assert_eq!(
        world.error(world.load(Some("start"))),
        "error: `/home/.config/sparkdbg/config.toml` line 3: `inherits` closes the cycle `a -> b -> a`\n\
         help: remove one `inherits` of the cycle"
    );
    let world = World::project("[profile.a]\ninherits = \"a\"");
    assert_eq!(
        world.error(world.load(Some("a"))),
        "error: `/home/project/sparkdbg.toml` line 2: `inherits` closes the cycle `a -> a`\n\
         help: remove one `inherits` of the cycle"
    );
}

#[test]
fn the_default_profile_is_the_projects_else_the_users_unless_one_is_wanted() {
    let world = World::new(&[(PROJECT, "[profile.a]\n[profile.b]\n[profile.c]"), (USER, "default-profile = \"b\"")]);
    let name = |wanted| world.load(wanted).unwrap().name;
    assert_eq!(name(None).as_deref(), Some("b"));
    assert_eq!(name(Some("c")).as_deref(), Some("c"));
    world.write(PROJECT, "default-profile = \"a\"\n[profile.a]\n[profile.c]");
    // The user's default does not exist now, but nobody asks for it.
    assert_eq!(name(None).as_deref(), Some("a"));
}

#[test]
fn an_unknown_profile_names_who_asked() {
    let world = World::new(&[
        (PROJECT, "[profile.cluster]\ninherits = \"locl\"\n"),
        (USER, "default-profile = \"zzz\"\n[profile.local]"),
    ]);
    assert_eq!(
        world.error(world.load(Some("clustr"))),
        "error: unknown profile `clustr`, named by `--profile`\n\
         help: did you mean `cluster`? the profiles are `cluster`, `local`"
    );
    assert_eq!(
        world.error(world.load(None)),
        "error: `/home/.config/sparkdbg/config.toml` line 1: unknown profile `zzz` in `default-profile`\n\
         help: the profiles are `cluster`, `local`"
    );
    assert_eq!(
        world.error(world.load(Some("cluster"))),
        "error: `/home/project/sparkdbg.toml` line 2: unknown profile `locl` in `inherits` of profile `cluster`\n\
         help: did you mean `local`? the profiles are `cluster`, `local`"
    );
}

#[test]
fn an_unknown_profile_without_profiles_or_files_says_so() {
    let world = World::new(&[]);
    assert_eq!(
        world.error(world.load(Some("a"))),
        "error: unknown profile `a`, named by `--profile`: there is no configuration file\n\
         help: looked for `sparkdbg.toml` from `/home/project/sub` upwards and for \
         `/home/.config/sparkdbg/config.toml`"
    );
    world.write(PROJECT, "");
    assert_eq!(
        world.error(world.load(Some("a"))),
        "error: unknown profile `a`, named by `--profile`\n\
         help: no profile is defined in `/home/project/sparkdbg.toml`"
    );
}

#[test]
fn config_replaces_both_files() {
    let world = World::new(&[
        (PROJECT, "broken"),
        (USER, "broken"),
        ("home/project/conf/mine.toml", "[profile.a]\nspark-home = \"spark\""),
    ]);
    let loaded = world.config("conf/mine.toml", Some("a")).unwrap();
    assert_eq!(world.files(&loaded), ["home/project/conf/mine.toml"]);
    let home = loaded.profile.spark_home.unwrap();
    assert_eq!(home.value, world.path("home/project/conf/spark"));
    assert!(!home.origin.project);
    assert_eq!(
        world.error(world.config("conf/mine.toml", Some("b"))),
        "error: unknown profile `b`, named by `SPARKDBG_PROFILE`\nhelp: the profiles are `a`"
    );
    assert_eq!(
        world.error(world.config("other.toml", None)),
        "error: `/home/project/other.toml`, named by `--config`, cannot be read: no such file or directory"
    );
    assert_eq!(
        world.error(world.config("conf", None)),
        "error: `/home/project/conf` cannot be read: it is not a regular file"
    );
    world.mode("home/project/conf/mine.toml", 0o646);
    assert_eq!(
        world.error(world.config("conf/mine.toml", None)),
        "error: `/home/project/conf/mine.toml` cannot be trusted: it is writable by others (mode 0646)\n\
         help: run `chmod go-w /home/project/conf/mine.toml`"
    );
}

#[test]
fn a_file_that_others_can_write_is_refused() {
    for (mode, writers) in [(0o666, "its group and others"), (0o664, "its group"), (0o602, "others")] {
        let world = World::project("");
        world.mode(PROJECT, mode);
        assert_eq!(
            world.error(world.load(None)),
            format!(
                "error: `/home/project/sparkdbg.toml` cannot be trusted: it is writable by {writers} (mode {mode:04o})\n\
                 help: run `chmod go-w /home/project/sparkdbg.toml`"
            )
        );
    }
    let world = World::new(&[(USER, "")]);
    world.mode(USER, 0o666);
    assert_eq!(
        world.error(world.load(None)),
        "error: `/home/.config/sparkdbg/config.toml` cannot be trusted: it is writable by its group and others (mode 0666)\n\
         help: run `chmod go-w /home/.config/sparkdbg/config.toml`"
    );
}

#[test]
fn a_directory_that_others_can_write_is_refused() {
    let world = World::new(&[("home/my project/sparkdbg.toml", "")]);
    world.mode("home/my project", 0o775);
    let error = world.load_from("home/my project", None).unwrap_err();
    let root = world.root.display();
    assert_eq!(
        error.to_string(),
        format!(
            "error: `{root}/home/my project/sparkdbg.toml` cannot be trusted: \
             its directory `{root}/home/my project` is writable by its group (mode 0775)\n\
             help: run `chmod go-w '{root}/home/my project'`"
        )
    );
    world.mode("home/my project", 0o1777);
    assert_eq!(
        world.error(world.load_from("home/my project", None)),
        "error: `/home/my project/sparkdbg.toml` cannot be trusted: \
         its directory `/home/my project` is writable by its group and others (mode 1777)\n\
         help: copy it to a directory of your own and name the copy with `--config FILE`"
    );
}

#[test]
fn a_link_is_judged_by_what_is_behind_it() {
    let world = World::new(&[("shared/real.toml", "[profile.a]")]);
    symlink(world.path("shared/real.toml"), world.path(PROJECT)).unwrap();
    assert_eq!(world.files(&world.load(Some("a")).unwrap()), [PROJECT]);

    world.mode("shared", 0o777);
    assert_eq!(
        world.error(world.load(None)),
        "error: `/home/project/sparkdbg.toml` cannot be trusted: the directory `/shared` of the file behind it \
         is writable by its group and others (mode 0777)\n\
         help: run `chmod go-w /shared`"
    );
    world.mode("shared", 0o755);
    world.mode("shared/real.toml", 0o664);
    assert_eq!(
        world.error(world.load(None)),
        "error: `/home/project/sparkdbg.toml` cannot be trusted: the file `/shared/real.toml` behind it \
         is writable by its group (mode 0664)\n\
         help: run `chmod go-w /shared/real.toml`"
    );
    // Who can replace the link chooses the file.
    world.mode("shared/real.toml", 0o644);
    world.mode("home/project", 0o775);
    assert_eq!(
        world.error(world.load(None)),
        "error: `/home/project/sparkdbg.toml` cannot be trusted: its directory `/home/project` \
         is writable by its group (mode 0775)\n\
         help: run `chmod go-w /home/project`"
    );
    world.mode("home/project", 0o755);
    fs::remove_file(world.path("shared/real.toml")).unwrap();
    assert_eq!(
        world.error(world.load(None)),
        "error: `/home/project/sparkdbg.toml` cannot be read: no such file or directory"
    );
}

#[test]
fn another_owner_is_refused_and_its_directory_not_looked_in() {
    // Only root can give files away; `trust` tests the rule itself for everybody.
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let world = World::project("[profile.a]");
    chown(world.path(PROJECT), Some(4321), None).unwrap();
    assert_eq!(
        world.error(world.load(None)),
        "error: `/home/project/sparkdbg.toml` cannot be trusted: it belongs to uid 4321, not to root\n\
         help: copy it to a directory of your own and name the copy with `--config FILE`"
    );
    chown(world.path("home/project"), Some(4321), None).unwrap();
    world.write("home/sparkdbg.toml", "[profile.home]");
    assert!(world.load(None).unwrap().files.is_empty());
    chown(world.path(PROJECT), Some(0), None).unwrap();
    assert_eq!(
        world.error(world.config("sparkdbg.toml", None)),
        "error: `/home/project/sparkdbg.toml` cannot be trusted: its directory `/home/project` belongs to uid 4321, not to root\n\
         help: copy it to a directory of your own and name the copy with `--config FILE`"
    );
}

#[test]
fn an_unknown_key_is_named_with_the_nearest_word() {
    let cases = [
        ("\ndefault-profil = \"a\"\n", "line 2: unknown key `default-profil`\nhelp: did you mean `default-profile`?"),
        ("[x]\n", "line 1: unknown key `x`\nhelp: the keys are `default-profile`, `profile`"),
        (
            "driver = \"attach\"\n",
            "line 1: unknown key `driver`\nhelp: `driver` belongs to a profile: write it below `[profile.NAME]`",
        ),
        (
            "[profile.local]\n\ndrivr = \"attach\"\n",
            "line 3: unknown key `drivr` in profile `local`\nhelp: did you mean `driver`?",
        ),
        (
            "[profile.a]\none_executor = true\n",
            "line 2: unknown key `one_executor` in profile `a`\nhelp: did you mean `one-executor`?",
        ),
        (
            "[profile.a]\nqqq = 1\n",
            "line 2: unknown key `qqq` in profile `a`\nhelp: the keys are `inherits`, `driver`, `executor`, `daemon`, \
             `client`, `jobmanager`, `taskmanager`, `allow`, `existing`, `one-executor`, `pause-limit`, \
             `spark-home`, `flink-home`, `worker-master`",
        ),
        (
            "[profile.a]\ndriver = { mode = \"attach\", prt = 1 }\n",
            "line 2: unknown key `prt` of `driver` in profile `a`\nhelp: did you mean `port`?",
        ),
        (
            "[profile.a.driver]\nmode = \"attach\"\nx = 1\n",
            "line 3: unknown key `x` of `driver` in profile `a`\nhelp: the keys are `mode`, `host`, `port`, `suspend`",
        ),
    ];
    for (content, expected) in cases {
        assert_eq!(refusal(content), format!("error: {expected}"), "{content}");
    }
}

#[test]
fn a_wrong_type_is_named() {
    let cases = [
        ("default-profile = 1", "line 1: `default-profile` must be a string, not an integer"),
        ("profile = \"a\"", "line 1: `profile` must be a table of profiles, `[profile.NAME]`, not a string"),
        ("[[profile.a]]", "line 1: `a` in `profile` must be a table, not an array"),
        ("[profile]\na = 1979-05-27", "line 2: `a` in `profile` must be a table, not a date"),
        ("[profile.a]\ninherits = [\"b\"]", "line 2: `inherits` in profile `a` must be a string, not an array"),
        (
            "[profile.a]\ndriver = 5005",
            "line 2: `driver` in profile `a` must be a string like \"attach:5005\" or a table, not an integer",
        ),
        (
            "[profile.a]\ndriver = { mode = \"attach\", port = \"5005\" }",
            "line 2: `port` of `driver` in profile `a` must be an integer, not a string",
        ),
        (
            "[profile.a]\ndriver.mode = true",
            "line 2: `mode` of `driver` in profile `a` must be a string, not a boolean",
        ),
        (
            "[profile.a]\ndriver = { mode = \"attach\", suspend = \"y\" }",
            "line 2: `suspend` of `driver` in profile `a` must be true or false, not a string",
        ),
        (
            "[profile.a]\none-executor = \"yes\"",
            "line 2: `one-executor` in profile `a` must be true or false, not a string",
        ),
        ("[profile.a]\npause-limit = 30", "line 2: `pause-limit` in profile `a` must be a string, not an integer"),
        ("[profile.a]\nspark-home = 3.5", "line 2: `spark-home` in profile `a` must be a string, not a float"),
        (
            "[profile.a]\nallow = true",
            "line 2: `allow` in profile `a` must be an array of strings like [\"10.0.0.0/8\"], not a boolean",
        ),
        (
            "[profile.a]\nallow = [\"::1\",\n 7]",
            "line 3: `allow` in profile `a` must be an array of strings like [\"10.0.0.0/8\"], but holds an integer",
        ),
    ];
    for (content, expected) in cases {
        assert_eq!(refusal(content), format!("error: {expected}"), "{content}");
    }
}

#[test]
fn a_bad_value_is_named() {
    let cases = [
        (
            "driver = \"5005\"",
            "`driver` in profile `a`: `5005` does not say who dials: write attach:5005 or listen:5005",
        ),
        ("driver = \"attach:70000\"", "`driver` in profile `a`: `70000` is not a port: a number from 0 to 65535"),
        (
            "driver = { mode = \"attach\", port = 70000 }",
            "`port` of `driver` in profile `a`: `70000` is not a port: a number from 0 to 65535",
        ),
        (
            "driver = { mode = \"attach\", port = -1 }",
            "`port` of `driver` in profile `a`: `-1` is not a port: a number from 0 to 65535",
        ),
        (
            "driver = { mode = \"server\" }",
            "`mode` of `driver` in profile `a`: `server` is neither `attach` nor `listen`",
        ),
        (
            "driver = { mode = \"attach\", host = \"a b\" }",
            "`host` of `driver` in profile `a`: `a b` is not a host name or an address",
        ),
        (
            "driver = { mode = \"listen\" }",
            "`driver` in profile `a`: `listen` needs the port of the debugger that listens: listen:[HOST:]PORT",
        ),
        (
            "driver = { port = 5005 }",
            "`driver` in profile `a` has no `mode`\nhelp: add `mode = \"attach\"` (the JVM listens) or \
             `mode = \"listen\"` (the debugger listens)",
        ),
        ("existing = \"kep\"", "`existing` in profile `a`: `kep` is not `replace`, `keep` or `fail`"),
        (
            "pause-limit = \"2 hous\"",
            "`pause-limit` in profile `a`: `2 hous` is not a duration like `90s`, `30m`, `2h` or `1d`, nor `off`",
        ),
        ("allow = [\"10.0.0.0/33\"]", "`allow` in profile `a`: `10.0.0.0/33` is not an address `IP[/BITS]`"),
        ("allow = \"host\"", "`allow` in profile `a`: `host` is not an address `IP[/BITS]`"),
        ("allow = []", "`allow` in profile `a`: the array is empty, so that nobody could attach"),
        ("spark-home = \"\"", "`spark-home` in profile `a`: the string is empty"),
        ("worker-master = \"a\\u0000\"", "`worker-master` in profile `a`: the string holds a NUL"),
    ];
    for (line, expected) in cases {
        assert_eq!(refusal(&format!("[profile.a]\n{line}\n")), format!("error: line 2: {expected}"), "{line}");
    }
}

#[test]
fn the_first_error_of_any_profile_is_reported() {
    let world = World::new(&[
        (PROJECT, "[profile.z]\ndrivr = 1\n[profile.b]\nx = 1\n[profile.a]\n"),
        (USER, "[profile.u]\npause-limit = \"x\"\n"),
    ]);
    assert_eq!(
        world.error(world.load(Some("a"))),
        "error: `/home/project/sparkdbg.toml` line 2: unknown key `drivr` in profile `z`\nhelp: did you mean `driver`?"
    );
    world.write(PROJECT, "[profile.a]\n");
    assert_eq!(
        world.error(world.load(Some("a"))),
        "error: `/home/.config/sparkdbg/config.toml` line 2: `pause-limit` in profile `u`: \
         `x` is not a duration like `90s`, `30m`, `2h` or `1d`, nor `off`"
    );
}

#[test]
fn a_syntax_error_is_one_line() {
    let cases = [
        ("[profile.a]\ndriver = \"attach\n", "line 2: invalid basic string, expected `\"`"),
        ("[profile.a]\nexisting = \"keep\"\nexisting = \"fail\"\n", "line 3: duplicate key"),
        ("\n[profile.a\n", "line 2: unclosed table, expected `]`"),
    ];
    for (content, expected) in cases {
        assert_eq!(refusal(content), format!("error: {expected}"), "{content}");
    }
    let world = World::project("");
    fs::write(world.path(PROJECT), b"# ok\n# \xff\n").unwrap();
    assert_eq!(world.error(world.load(None)), "error: `/home/project/sparkdbg.toml` line 2: not UTF-8");
}

#[test]
fn a_byte_order_mark_moves_no_line() {
    assert_eq!(
        refusal("\u{feff}\n[x]\n"),
        "error: line 2: unknown key `x`\nhelp: the keys are `default-profile`, `profile`"
    );
}

#[test]
fn pause_limits_are_whole_seconds_that_spark_can_hold() {
    let seconds = |seconds| Ok(PauseLimit::Limit(Duration::from_secs(seconds)));
    let error = |text: &str| Err(text.to_owned());
    let cases = [
        ("off", Ok(PauseLimit::Off)),
        ("90s", seconds(90)),
        ("30m", seconds(1800)),
        ("2h", seconds(7200)),
        ("1d", seconds(86400)),
        ("1s", seconds(1)),
        ("2147483s", seconds(2_147_483)),
        ("2147484s", error("`2147484s` is longer than `2147483s`, the longest that Spark can hold")),
        ("0s", error("`0s` leaves no time to pause: at least `1s`, or `off`")),
        ("1500ms", error("`1500ms` is not a whole number of seconds")),
        ("90", error("`90` is not a duration like `90s`, `30m`, `2h` or `1d`, nor `off`")),
        ("", error("`` is not a duration like `90s`, `30m`, `2h` or `1d`, nor `off`")),
    ];
    for (text, expected) in cases {
        assert_eq!(text.parse::<PauseLimit>(), expected, "{text}");
    }
}

#[test]
fn existing_is_one_of_three_words() {
    assert_eq!("replace".parse(), Ok(Existing::Replace));
    assert_eq!("keep".parse(), Ok(Existing::Keep));
    assert_eq!("fail".parse(), Ok(Existing::Fail));
    assert_eq!("Keep".parse::<Existing>(), Err("`Keep` is not `replace`, `keep` or `fail`".to_owned()));
}
