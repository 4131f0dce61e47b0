//! The examples in the help of the commands that start a script.

/// What stands under `Examples:`, one command on each line.
pub fn of(command: &str) -> Option<&'static [&'static str]> {
    Some(match command {
        "submit" => &[
            "sparkdbg submit --driver -- --class org.example.App app.jar",
            "sparkdbg submit --listen 5005 --wait-for-debugger 5m -- app.py",
            "sparkdbg submit --executor -- --master yarn --class org.example.App app.jar",
            "sparkdbg submit --driver=attach:5005 --executor=attach:0 -- app.py",
        ],
        "shell" => &["sparkdbg shell --no-suspend", "sparkdbg shell --attach 5010 -- --master 'local[2]'"],
        "sql" => &["sparkdbg sql --no-suspend", "sparkdbg sql -- -e 'select 1'"],
        "pyspark" => &["sparkdbg pyspark --driver=attach:5010,nosuspend"],
        "r" => &["sparkdbg r --no-suspend"],
        "example" => &["sparkdbg example -- SparkPi 10"],
        "connect-shell" => &["sparkdbg connect-shell --no-suspend"],
        "python" => &["sparkdbg python -- app.py"],
        "connect-server" => &["sparkdbg connect-server --no-suspend"],
        "thrift-server" => &["sparkdbg thrift-server --no-suspend"],
        "worker" => &[
            "sparkdbg worker --listen 10.0.0.171:5005 -- --cores 1 spark://10.0.0.1:7077",
            "sparkdbg worker --app app-20261130005919-0000 -- spark://10.0.0.1:7077",
            "sparkdbg worker --daemon -- spark://10.0.0.1:7077",
        ],
        "master" => &["sparkdbg master --attach 5010"],
        "history-server" => &["sparkdbg history-server --no-suspend"],
        "pipelines" => &["sparkdbg pipelines -- run --spec spark-pipeline.yml"],
        "beeline" => &["sparkdbg beeline -- -u jdbc:hive2://localhost:10000"],
        "class" => &["sparkdbg class -- org.apache.spark.deploy.ExternalShuffleService"],
        "flink" => &[
            "sparkdbg flink run app.jar",
            "sparkdbg flink --taskmanager -- taskmanager.sh start",
            "sparkdbg flink start-cluster.sh",
            "sparkdbg flink --jobmanager=attach,suspend -- run -t yarn-application app.jar",
        ],
        _ => return None,
    })
}
