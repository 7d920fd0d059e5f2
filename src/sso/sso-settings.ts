import type { SettingReader } from '#core/setting-reader.ts'
import { isLoopback } from '#lib/web-origin.ts'

/** Single sign-on with the OpenID Connect provider of a company. */
export interface SsoSettings {
  /** The host of the issuer, which the button names: "Continue with …". */
  name: string
  only: boolean
  /** The workspace whose members people become who have no account yet; undefined: they need an invitation. */
  newcomers: string | undefined
  issuer: string
  clientId: string
  /** Undefined for a public client, which uses PKCE only. */
  clientSecret: string | undefined
  /** In lower case. An empty list allows all domains. */
  domains: readonly string[]
}

/** Reads the settings of single sign-on; undefined without an issuer. Mistakes never repeat the secret. */
export function readSsoSettings({
  text,
  secret,
  flag,
  list,
  mistakes,
}: SettingReader): SsoSettings | undefined {
  const issuer = text('DOCKET_OIDC_ISSUER')
  const { protocol, host } = URL.parse(issuer ?? '') ?? {}
  const clientId = text('DOCKET_OIDC_CLIENT_ID')
  const workspace_id = text('DOCKET_OIDC_WORKSPACE')
  const settings = {
    issuer: issuer ?? '',
    clientId: clientId ?? '',
    clientSecret: secret('DOCKET_OIDC_CLIENT_SECRET'),
    name: host ?? '',
    domains: list('DOCKET_OIDC_DOMAINS', isDomain, 'domains such as example.com').map((one) =>
      one.toLowerCase(),
    ),
    newcomers: workspace_id,
    only: flag('DOCKET_OIDC_ONLY', false),
  }
  if (issuer === undefined) {
    if (settings.only) mistakes.push('DOCKET_OIDC_ONLY requires DOCKET_OIDC_ISSUER')
    return undefined
  }
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(host))) {
    mistakes.push(
      'DOCKET_OIDC_ISSUER must be an https URL such as https://sso.example.com/realms/acme',
    )
  }
  if (clientId === undefined) mistakes.push('DOCKET_OIDC_ISSUER requires DOCKET_OIDC_CLIENT_ID')
  if (workspace_id !== undefined && !/^wsp_[0-9a-hjkmnp-tv-z]{26}$/.test(workspace_id)) {
    mistakes.push('DOCKET_OIDC_WORKSPACE must be a workspace id, such as wsp_01h…')
  }
  return settings
}

const isDomain = (text: string): boolean => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(text)
