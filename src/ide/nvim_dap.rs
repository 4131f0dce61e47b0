//! nvim-dap: a Lua file that adds entries to those of the user's own configuration.

use super::{Existing, File, RunConfiguration, Wanted};
use crate::error::Failure;

/// It has to be loaded by the user, or by an `.nvim.lua`.
pub const PATH: &str = ".nvim/sparkdbg.lua";

/// By which our file is known.
const FIRST_LINE: &str = "-- Written by `sparkdbg ide nvim-dap --write`, which replaces it.\n";

/// The file; it is replaced as a whole.
///
/// # Errors
/// A file of that name is not ours.
pub fn file(wanted: &Wanted, existing: Existing<'_>) -> Result<File, Failure> {
    if existing(PATH)?.is_some_and(|there| !there.starts_with(FIRST_LINE)) {
        return Err(Failure::world(format!("`{PATH}` is not ours: its first line does not say so"))
            .help("give that file another name"));
    }
    Ok(File { path: PATH.to_owned(), content: lua(wanted) })
}

fn lua(wanted: &Wanted) -> String {
    let kind = if wanted.metals { "scala" } else { "java" };
    let entries: String = wanted.configurations.iter().map(|one| entry(one, wanted, kind)).collect();
    let compound = wanted.compound().map(|_| COMPOUND).unwrap_or_default();
    format!(
        "{FIRST_LINE}local dap = require(\"dap\")\n\n\
         local ours = {{\n{entries}}}\n\n\
         -- Without what an earlier load has put there.\n\
         local all = {{}}\n\
         for _, entry in ipairs(dap.configurations.{kind} or {{}}) do\n  \
           if not tostring(entry.name):find(\"^sparkdbg: \") then\n    \
             table.insert(all, entry)\n  \
           end\n\
         end\n\
         for _, entry in ipairs(ours) do\n  \
           table.insert(all, entry)\n\
         end\n\
         dap.configurations.{kind} = all\n{compound}"
    )
}

const COMPOUND: &str = "
-- nvim-dap knows no compounds: `:SparkdbgAll` starts one session for each.
vim.api.nvim_create_user_command(\"SparkdbgAll\", function()
  for _, entry in ipairs(ours) do
    dap.run(entry, { new = true })
  end
end, {})
";

fn entry(one: &RunConfiguration, wanted: &Wanted, kind: &str) -> String {
    let whose = if wanted.metals { "buildTarget" } else { "projectName" };
    let module =
        wanted.module.as_ref().map(|module| format!("    {whose} = {},\n", quoted(module))).unwrap_or_default();
    format!(
        "  {{\n    type = \"{kind}\",\n    request = \"attach\",\n    name = {},\n    hostName = {},\n    port = {},\n{module}  }},\n",
        quoted(&one.name.shown()),
        quoted(&one.host),
        one.port
    )
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
