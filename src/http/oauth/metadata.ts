import { PATHS } from '#identity/oauth/server.ts'
import { SCOPES } from '#wire/scopes.ts'
import type { House } from '../house.ts'

export const REGISTER = '/oauth/register'
const METHODS = ['client_secret_basic', 'client_secret_post', 'none']

/** What clients look up, by address: RFC 8414 and RFC 9728. */
export function metadata({ baseUrl, oauthRegistration }: House): Record<string, object> {
  return {
    '/.well-known/oauth-authorization-server': {
      issuer: baseUrl,
      authorization_endpoint: baseUrl + PATHS.authorization,
      token_endpoint: baseUrl + PATHS.token,
      revocation_endpoint: baseUrl + PATHS.revocation,
      introspection_endpoint: baseUrl + PATHS.introspection,
      ...(oauthRegistration && { registration_endpoint: baseUrl + REGISTER }),
      scopes_supported: SCOPES,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: METHODS,
      revocation_endpoint_auth_methods_supported: METHODS,
      introspection_endpoint_auth_methods_supported: METHODS,
      authorization_response_iss_parameter_supported: true,
      service_documentation: `${baseUrl}/docs#oauth`,
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
