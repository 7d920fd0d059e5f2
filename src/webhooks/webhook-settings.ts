import type { SettingReader } from '#core/setting-reader.ts'
import { isCidr, type NetworkAllowlist } from '#lib/ip-address.ts'

/** Reads where webhooks may go beside public https addresses. `loopback`: only this machine uses the server. */
export const readWebhookTargets = (
  { list }: SettingReader,
  loopback: boolean,
): NetworkAllowlist => ({
  networks: list('DOCKET_WEBHOOK_ALLOWED_CIDRS', isCidr, 'networks such as 10.1.0.0/16'),
  loopback,
})
