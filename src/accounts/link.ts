import { NOBODY, personally } from '#core/actor.ts'
import { door } from '#core/door.ts'
import { notFound } from '#core/refusal.ts'
import { attempt, ofAddress } from '#identity/attempts.ts'
import { findStep, takeStep } from '#identity/steps.ts'
import { enter, welcome } from './enter.ts'
import * as contract from './internal.ts'
import { personById } from './store.ts'

/** By a link that an operator has printed: it stands in for the password, or for the company's sign-in. */
export const signInByLink = door(contract.signInByLink, async (means, visit) => {
  const { storage } = means
  const { token } = visit.body
  let id = ''
  await attempt(storage, [ofAddress(visit.address)], async () => {
    id = (await storage.read(NOBODY, (tx) => findStep(tx, 'link', token)))?.user_id ?? ''
    return id !== ''
  })
  if (id === '') throw notFound()
  const entered = await storage.write(personally(id), async (tx) => {
    const step = await takeStep(tx, 'link', token)
    const person = await tx.one(personById, { id })
    if (!step || !person) throw notFound()
    const { last_workspace_id } = person
    return enter(tx, means, visit, { id, last_workspace_id, by: 'link' })
  })
  return welcome(means, visit, entered)
})
