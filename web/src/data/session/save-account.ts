import type { changeAccount } from '#accounts/contract.ts'
import type { EndpointReply } from '#wire/endpoint.ts'
import { type CallInput, requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { saveProfileLanguage } from '../../lib/locale/language.ts'
import { setViewer } from '../../lib/locale/viewer.ts'
import { toRegionalLocale, updateBoot } from './boot.ts'

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
  updateBoot((boot) => ({
    ...boot,
    session: {
      ...boot.session,
      user,
      hours_per_day: body?.hours_per_day ?? boot.session.hours_per_day,
    },
    members: boot.members.map((member) => (member.id === user.id ? user : member)),
  }))
  return { user, needsReload }
}

const HOURS_CHOICES = [2, 3, 4, 5, 6, 7, 8, 10]

/** How many hours of estimates a person may plan for a day; others, which the API allows, stay selectable. */
export const listHoursPerDay = (current: number): number[] =>
  [...new Set([...HOURS_CHOICES, current])].toSorted((a, b) => a - b)
