import { limitTakenEmails, withAttemptLimits } from '#auth/sign-in/attempt-limits.ts'
import {
  emailTaken,
  findAccountByEmail,
  preparePassword,
  setPassword,
} from '#auth/users/accounts.ts'
import { notifyOfSecurityChange, sendConfirmationLink } from '#auth/users/email-confirmation.ts'
import { revokeUserAccess } from '#auth/users/user-access.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { sessionAction } from '#core/session-action.ts'
import { fromJson } from '#lib/json.ts'
import { loadMember } from '#resources/members/membership.ts'
import * as contract from '../contract.ts'
import { assertSecondFactorShown, wrongCurrentPassword } from '../sign-in/reauthentication.ts'
import { verifyAccountPassword } from '../sign-in/sign-in.ts'
import {
  loadCookieSessions,
  serializeSessionCookie,
  startSession,
} from '../sign-in/start-session.ts'
import { assertNotSsoOnly } from '../sso/sso-only.ts'
import { lockedPersonById, personById, updateHoursPerDay } from '../store.ts'
import { changeMemberProfile } from './change-member-profile.ts'
import { limitLinks } from './confirm-email.ts'

/**
 * A new address becomes that of the account once it is confirmed by the link that is sent to it. A new
 * password ends all other sessions, and if asked for, all other access; the present session
 * continues with a new cookie.
 */
export const changeAccountAction = sessionAction(contract.changeAccount, async (deps, context) => {
  const { actor, body, address } = context
  const { current_password, password, revoke_access, hours_per_day, ...profile } = body
  if (password !== undefined || profile.email !== undefined) assertNotSsoOnly(deps)
  const [user_id, workspace_id] = [actor.user_id, actor.workspace_id]
  const { storage } = deps
  const person = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.one(personById, { id: user_id }))
  if (person && current_password !== undefined) {
    const isRight = await verifyAccountPassword(
      deps,
      context,
      person.email,
      person,
      current_password,
    )
    if (!isRight) throw wrongCurrentPassword()
  }
  // The next password reset link goes to the new address, and it can remove all passkeys.
  if (password !== undefined || profile.email !== undefined)
    await assertSecondFactorShown(deps, context)
  const { email, ...others } = profile
  const newEmail = email === person?.email ? undefined : email
  if (newEmail !== undefined) {
    const findAccount = () =>
      storage.read(ANONYMOUS_ACTOR, (tx) => findAccountByEmail(tx, newEmail))
    const limits = [limitTakenEmails(user_id)]
    const isFree = await withAttemptLimits(storage, limits, async () => !(await findAccount()))
    if (!isFree) throw emailTaken()
    if (deps.hasMail) await limitLinks(deps, context, newEmail)
  }
  const newPassword =
    password === undefined
      ? undefined
      : await preparePassword(password, { account: person?.email ?? user_id, address })
  const { entered: started, ...result } = await storage.write(actor, async (tx) => {
    const current = await tx.one(lockedPersonById, { id: user_id })
    const isProven =
      current_password === undefined || current?.password_hash === person?.password_hash
    if (!isProven) throw wrongCurrentPassword()
    // Without mail no link can be sent, and nothing else either.
    const isConfirmed = newEmail === undefined || !deps.hasMail
    const changes = isConfirmed ? profile : others
    const isChanged = await changeMemberProfile(tx, user_id, changes)
    if (hours_per_day !== undefined) await tx.run(updateHoursPerDay, { id: user_id, hours_per_day })
    // The present address stays in force until the new one is confirmed.
    if (!isConfirmed) await notifyOfSecurityChange(tx, user_id, 'email_change_requested')
    // The new password ends all sessions; the new one takes over how this one has signed in.
    const [previous] = await loadCookieSessions(tx, deps, context)
    if (newPassword) {
      await setPassword(tx, user_id, newPassword.hash)
      await notifyOfSecurityChange(tx, user_id, 'password_changed')
      const hasShownSecondFactor = actor.has_passed_second_factor === true
      if (revoke_access) await revokeUserAccess(tx, user_id, { hasShownSecondFactor })
    }
    // A new password ends the links that were sent before.
    if (!isConfirmed) await sendConfirmationLink(tx, user_id, newEmail)
    const subject = { id: user_id, workspace_id, by: 'session', previous } as const
    const entered = newPassword && (await startSession(tx, deps, context, subject))
    const { operation_id } = tx
    const reply = fromJson((await loadMember(tx, user_id)).json)
    return { reply, entered, ...((isChanged || entered) && { operation_id }) }
  })
  if (!started || 'step' in started) return result
  return { ...result, cookies: [serializeSessionCookie(deps.baseUrl, started.value)] }
})
