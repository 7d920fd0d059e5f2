import { parseConfig } from './config.ts'

/**
 * Variables of clients, which the documents ask people to export and which the server ignores. An
 * environment that has them is not misconfigured.
 */
export const CLIENT_VARIABLES: ReadonlySet<string> = new Set([
  ...['DOCKET_URL', 'DOCKET_KEY', 'DOCKET_API_KEY', 'DOCKET_PASSWORD', 'DOCKET_WEBHOOK_SECRET'],
  ...['DOCKET_CLIENT_ID', 'DOCKET_CLIENT_SECRET'],
])

/** Lists all settings: every name that the configuration looks up. */
export function listSettingNames(): Set<string> {
  const names = new Set<string>()
  const recorder = { get: (_: object, name: string) => void names.add(name) }
  parseConfig(new Proxy<Record<string, undefined>>({}, recorder))
  return names
}
