import type { changeAccount } from '#accounts/contract.ts'
import type { EndpointReply } from '#wire/endpoint.ts'
import { type CallInput, requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { saveProfileLanguage } from '../../lib/locale/language.ts'
import { setViewer } from '../../lib/locale/viewer.ts'
import { toRegionalLocale, updateBoot } from './boot.ts'
import { cacheMember } from './boot-records.ts'

/**
 * Changes the person's account and updates the boot data, so that every screen shows the change at
 * once. A page in another language must be loaded anew.
 */
export async function saveAccount(
  body: CallInput<typeof changeAccount>['body'],
): Promise<{ user: EndpointReply<typeof changeAccount>; needsReload: boolean }> {
  const user = await requestEndpoint<typeof changeAccount>('PATCH /internal/account', { body })
  const needsReload = !saveProfileLanguage(user.locale)
  setViewer({ zone: user.timezone, locale: toRegionalLocale(user.locale) })
  cacheMember(user)
  const { hours_per_day } = body ?? {}
  if (hours_per_day !== undefined)
    updateBoot((boot) => ({ ...boot, session: { ...boot.session, hours_per_day } }))
  return { user, needsReload }
}
