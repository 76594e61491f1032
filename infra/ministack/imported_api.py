"""
Added to MiniStack by Skein's patches: the routes of an HTTP API from an OpenAPI document, which is the property Body of
AWS::ApiGatewayV2::Api. What API Gateway refuses fails the deployment here too.
"""
import re

import ministack.services.apigateway as gateway
from ministack.core.responses import new_uuid

# API Gateway's quotas for an HTTP API.
MAX_ROUTES = 300
MAX_INTEGRATIONS = 300

INTEGRATION_FIELDS = {
    "type": "integrationType",
    "uri": "integrationUri",
    "httpMethod": "integrationMethod",
    "credentials": "credentialsArn",
    "integrationSubtype": "integrationSubtype",
    "payloadFormatVersion": "payloadFormatVersion",
    "timeoutInMillis": "timeoutInMillis",
    "requestParameters": "requestParameters",
    "responseParameters": "responseParameters",
}


def import_body(api_id, body):
    """Replaces the routes, integrations and CORS rules of an API; raises ValueError if API Gateway would refuse the document."""
    routes, integrations = {}, {}
    for route_key, integration in _operations(body):
        integration_id, route_id = new_uuid()[:8], new_uuid()[:8]
        integrations[integration_id] = {"integrationId": integration_id, **_integration(route_key, integration)}
        routes[route_id] = {
            "routeId": route_id,
            "routeKey": route_key,
            "target": f"integrations/{integration_id}",
            "authorizationType": "NONE",
        }
    if len(routes) > MAX_ROUTES or len(integrations) > MAX_INTEGRATIONS:
        raise ValueError(f"An HTTP API has at most {MAX_ROUTES} routes and {MAX_INTEGRATIONS} integrations")
    api = gateway._apis[api_id]
    api["name"] = body["info"]["title"]
    api["corsConfiguration"] = body.get("x-amazon-apigateway-cors")
    # A request that has found its route meanwhile finds its integration.
    gateway._integrations[api_id] = {**gateway._integrations[api_id], **integrations}
    gateway._routes[api_id] = routes
    gateway._integrations[api_id] = integrations


def _operations(body):
    """The route keys of a document with their integrations."""
    paths = {}
    for path, item in body["paths"].items():
        identity = re.sub(r"\{[^}+]*(\+?)\}", r"{\1}", path)
        if paths.setdefault(identity, path) != path:
            raise ValueError(f"{path} and {paths[identity]} differ in the names of their variables only")
        for method, operation in item.items():
            if method == "parameters":
                continue
            is_default = path == "/$default" and operation.get("isDefaultRoute")
            name = "ANY" if method == "x-amazon-apigateway-any-method" else method.upper()
            yield "$default" if is_default else f"{name} {path}", operation["x-amazon-apigateway-integration"]


def _integration(route_key, integration):
    unknown = set(integration) - set(INTEGRATION_FIELDS)
    if unknown:
        raise ValueError(f"The integration of {route_key} has unknown fields: {sorted(unknown)}")
    record = {INTEGRATION_FIELDS[name]: value for name, value in integration.items()}
    if not re.fullmatch(r"(?i)aws_proxy|http_proxy", record["integrationType"]):
        raise ValueError(f"The integration of {route_key} is of type {record['integrationType']}")
    return {**record, "integrationType": record["integrationType"].upper(), "connectionType": "INTERNET"}
