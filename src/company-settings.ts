import type { CompanySettings } from '#company/open.ts'
import { isLoopback } from '#http/arrival.ts'
import type { readSettings } from './settings.ts'

type Settings = Pick<
  ReturnType<typeof readSettings>,
  'text' | 'word' | 'flag' | 'list' | 'mistakes'
>

/** The company's provider by its settings; undefined without an issuer. The secret is never repeated. */
export function companySettings(read: Settings): CompanySettings | undefined {
  const { text, word, flag, list, mistakes } = read
  const issuer = text('DOCKET_OIDC_ISSUER')
  const clientId = text('DOCKET_OIDC_CLIENT_ID')
  const workspace_id = text('DOCKET_OIDC_WORKSPACE')
  const role = word('DOCKET_OIDC_ROLE', ['admin', 'member', 'guest'], 'member')
  const settings = {
    issuer: issuer ?? '',
    clientId: clientId ?? '',
    clientSecret: text('DOCKET_OIDC_CLIENT_SECRET'),
    name: text('DOCKET_OIDC_NAME') ?? 'your company',
    scopes: text('DOCKET_OIDC_SCOPES') ?? 'openid email profile',
    domains: list('DOCKET_OIDC_DOMAINS', isDomain, 'domains such as example.com').map((one) =>
      one.toLowerCase(),
    ),
    newcomers: workspace_id === undefined ? undefined : { workspace_id, role },
    only: flag('DOCKET_OIDC_ONLY', false),
  }
  if (issuer === undefined) {
    if (settings.only) mistakes.push('DOCKET_OIDC_ONLY needs DOCKET_OIDC_ISSUER')
    return undefined
  }
  const { protocol, host } = URL.parse(issuer) ?? {}
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(host))) {
    mistakes.push(
      'DOCKET_OIDC_ISSUER must be an address such as https://sso.example.com/realms/acme',
    )
  }
  if (clientId === undefined) mistakes.push('DOCKET_OIDC_ISSUER needs DOCKET_OIDC_CLIENT_ID')
  if (!settings.scopes.split(' ').includes('openid')) {
    mistakes.push('DOCKET_OIDC_SCOPES must have openid among them')
  }
  if (workspace_id !== undefined && !/^wsp_[0-9a-hjkmnp-tv-z]{26}$/.test(workspace_id)) {
    mistakes.push('DOCKET_OIDC_WORKSPACE must be the id of a workspace')
  }
  return settings
}

const isDomain = (text: string): boolean => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(text)
