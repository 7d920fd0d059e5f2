import { isLoopback } from '#http/request/transport-checks.ts'
import type { SsoSettings } from '#sso/sso-provider.ts'
import type { EnvReader } from './env-reader.ts'

/**
 * Reads the settings of single sign-on; undefined without an issuer. Mistakes never repeat the
 * secret.
 */
export function readSsoSettings(env: EnvReader): SsoSettings | undefined {
  const { text, textOrDefault, oneOf, flag, list, mistakes } = env
  const issuer = text('DOCKET_OIDC_ISSUER')
  const clientId = text('DOCKET_OIDC_CLIENT_ID')
  const workspace_id = text('DOCKET_OIDC_WORKSPACE')
  const role = oneOf('DOCKET_OIDC_ROLE', ['admin', 'member', 'guest'], 'member')
  const settings = {
    issuer: issuer ?? '',
    clientId: clientId ?? '',
    clientSecret: text('DOCKET_OIDC_CLIENT_SECRET'),
    name: textOrDefault('DOCKET_OIDC_NAME', 'your company'),
    scopes: textOrDefault('DOCKET_OIDC_SCOPES', 'openid email profile'),
    domains: list('DOCKET_OIDC_DOMAINS', isDomain, 'domains such as example.com').map((one) =>
      one.toLowerCase(),
    ),
    newcomers: workspace_id === undefined ? undefined : { workspace_id, role },
    only: flag('DOCKET_OIDC_ONLY', false),
  }
  if (issuer === undefined) {
    if (settings.only) mistakes.push('DOCKET_OIDC_ONLY requires DOCKET_OIDC_ISSUER')
    return undefined
  }
  const { protocol, host } = URL.parse(issuer) ?? {}
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(host))) {
    mistakes.push(
      'DOCKET_OIDC_ISSUER must be an https URL such as https://sso.example.com/realms/acme',
    )
  }
  if (clientId === undefined) mistakes.push('DOCKET_OIDC_ISSUER requires DOCKET_OIDC_CLIENT_ID')
  if (!settings.scopes.split(' ').includes('openid')) {
    mistakes.push('DOCKET_OIDC_SCOPES must include openid, such as "openid email profile"')
  }
  if (workspace_id !== undefined && !/^wsp_[0-9a-hjkmnp-tv-z]{26}$/.test(workspace_id)) {
    mistakes.push('DOCKET_OIDC_WORKSPACE must be a workspace id, such as wsp_01h…')
  }
  return settings
}

const isDomain = (text: string): boolean => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(text)
