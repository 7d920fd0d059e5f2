import { OAUTH_PATHS } from '#auth/oauth/authorization-server.ts'
import { SCOPES } from '#wire/scopes.ts'
import type { AppContext } from '../app-context.ts'

export const REGISTRATION_PATH = '/oauth/register'
const CLIENT_AUTHENTICATION_METHODS = ['client_secret_basic', 'client_secret_post', 'none']

/** The metadata documents by path: RFC 8414 and RFC 9728. */
export function createMetadataDocuments({
  baseUrl,
  oauthRegistration,
}: AppContext): Record<string, object> {
  return {
    '/.well-known/oauth-authorization-server': {
      issuer: baseUrl,
      authorization_endpoint: baseUrl + OAUTH_PATHS.authorization,
      token_endpoint: baseUrl + OAUTH_PATHS.token,
      revocation_endpoint: baseUrl + OAUTH_PATHS.revocation,
      introspection_endpoint: baseUrl + OAUTH_PATHS.introspection,
      ...(oauthRegistration && { registration_endpoint: baseUrl + REGISTRATION_PATH }),
      scopes_supported: SCOPES,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION_METHODS,
      revocation_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION_METHODS,
      introspection_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION_METHODS,
      authorization_response_iss_parameter_supported: true,
      service_documentation: `${baseUrl}/docs/guides/oauth`,
    },
    '/.well-known/oauth-protected-resource': {
      resource: baseUrl,
      authorization_servers: [baseUrl],
      scopes_supported: SCOPES,
      bearer_methods_supported: ['header'],
      resource_documentation: `${baseUrl}/docs`,
    },
  }
}
