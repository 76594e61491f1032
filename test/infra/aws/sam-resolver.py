"""
Resolves a template's functions and their environment variables as `sam local` does, by SAM's own code. Reads {"template": path,
"environment": the contents of the file for --env-vars} as JSON; writes the list of functions.
"""
import json
import sys

from samcli.commands.local.lib.local_lambda import LocalLambdaRunner
from samcli.lib.providers.sam_api_provider import SamApiProvider
from samcli.lib.providers.sam_function_provider import SamFunctionProvider
from samcli.lib.providers.sam_stack_provider import SamLocalStackProvider

request = json.load(sys.stdin)
stacks, _ = SamLocalStackProvider.get_stacks(request["template"])
provider = SamFunctionProvider(stacks)
runner = LocalLambdaRunner(None, provider, None, None, env_vars_values=request["environment"])
runner.get_aws_creds = lambda: {}
functions = []
for function in provider.get_all():
    functions.append(
        {
            "name": function.full_path,
            "handler": function.handler,
            "folder": function.codeuri,
            "architectures": function.architectures,
            "declared": (function.environment or {}).get("Variables", {}),
            "variables": runner._make_env_vars(function).resolve(),
        }
    )
json.dump(functions, sys.stdout)
