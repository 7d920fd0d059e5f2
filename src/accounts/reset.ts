import { NOBODY, personally } from '#core/actor.ts'
import { door, type Means } from '#core/door.ts'
import { notFound, Refusal } from '#core/refusal.ts'
import type { WriteTx } from '#core/tx.ts'
import { noteVerified, preparePassword, setPassword } from '#identity/account.ts'
import { attempt, ofAddress, ofResets, ofResetsFrom } from '#identity/attempts.ts'
import { unlink } from '#identity/company-links.ts'
import { removePasskeys } from '#identity/passkeys.ts'
import { timestampOf } from '#lib/clock.ts'
import { hashOfLinkToken, newLinkToken } from '#lib/token.ts'
import * as contract from './contract.ts'
import { enter, welcome } from './enter.ts'
import { refuseOtherWays } from './only.ts'
import { insertReset, personByEmail, removeReset, resetByHash } from './store.ts'

const LASTS_MS = 30 * 60 * 1000

/**
 * Answers at once and alike, whatever comes of it: neither what is said nor how long it takes tells
 * whether there is an account. The link goes to the mailbox and nowhere else.
 */
export const askReset = door(contract.askReset, async (means, { body, address }) => {
  refuseOtherWays(means)
  sendLink(means, body.email, address).catch((err: unknown) => {
    if (!(err instanceof Refusal)) means.log.error({ err }, 'A link could not be made')
  })
  return { reply: {} }
})

async function sendLink(means: Means, email: string, address: string): Promise<void> {
  const { storage, mail, baseUrl } = means
  if (!mail) return
  // As an attempt that is never right: so many letters to one mailbox, and from one address.
  await attempt(storage, [ofResets(email), ofResetsFrom(address)], async () => false)
  const token = newLinkToken()
  const person = await storage.write(NOBODY, async (tx) => {
    const found = await tx.one(personByEmail, { email })
    if (!found) return undefined
    const expires_at = timestampOf(tx.instant + LASTS_MS)
    const reset = {
      hash: hashOfLinkToken(token),
      user_id: found.id,
      created_at: tx.now,
      expires_at,
    }
    await tx.run(insertReset, reset)
    return found
  })
  if (!person) return
  mail.send({
    to: person.email,
    subject: 'Choose another password for Docket',
    text: [
      `Hello ${person.name},`,
      'by this link you can choose another password, within 30 minutes and once:',
      `${baseUrl}/reset/${token}`,
      'If you have not asked for it, there is nothing to do: your password stays as it is.',
    ].join('\n\n'),
  })
}

/** Who has the link has the mailbox: that is taken for the person. */
export const acceptReset = door(contract.acceptReset, async (means, visit) => {
  refuseOtherWays(means)
  const { body, address } = visit
  const { storage } = means
  const link = { hash: hashOfLinkToken(body.token) }
  let person = ''
  const isGood = () =>
    storage.read(NOBODY, async (tx) => {
      const reset = await tx.one(resetByHash, link)
      person = reset?.user_id ?? ''
      return reset !== undefined && reset.expires_at > tx.now
    })
  if (!(await attempt(storage, [ofAddress(address)], isGood))) throw notFound()
  const prepared = await preparePassword(body.password)
  const entered = await storage.write(personally(person), async (tx) => {
    const reset = await tx.one(resetByHash, link)
    // Of two who come at once only one finds it to take away.
    const isMine = (await tx.run(removeReset, link)) === 1
    if (!reset || !isMine || reset.expires_at <= tx.now) throw notFound()
    await setPassword(tx, reset.user_id, prepared.hash)
    if (reset.verified_email !== reset.email) await ownAddress(tx, reset.user_id)
    const { user_id: id, last_workspace_id } = reset
    return enter(tx, means, visit, { id, last_workspace_id, by: 'link' })
  })
  return welcome(means, visit, entered)
})

/**
 * The person has the mailbox. Whoever made the account before may be somebody else: what was linked to
 * it until now opens it no more.
 */
async function ownAddress(tx: WriteTx, user_id: string): Promise<void> {
  await unlink(tx, user_id)
  await removePasskeys(tx, user_id)
  await noteVerified(tx, user_id)
}
