import { encode } from 'uqr'
import { NOBODY, personally } from '#core/actor.ts'
import { door, type Means, type Visit } from '#core/door.ts'
import { conflict, invalid } from '#core/refusal.ts'
import { advanceGeneration } from '#identity/generation.ts'
import {
  enableFactor,
  hasSecondFactor,
  prepareFactor,
  removeFactor,
  renewCodes,
} from '#identity/second-factor.ts'
import { INSTALLATION } from '#wire/audit.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { fault } from '#wire/fault.ts'
import { confirmed, refuseUnshown } from './confirm.ts'
import * as contract from './internal.ts'
import { noteShown, shownBeside, wrongCode } from './second-factor.ts'

export const prepareSecondFactor = door(contract.prepareSecondFactor, async (means, visit) => {
  const { id, email } = await confirmed(means, visit, visit.body.current_password)
  await refuseBeside(means, visit, id)
  const issuer = `Docket ${new URL(means.baseUrl).host}`.replace(':', ' ')
  const made = await means.storage.write(personally(id), (tx) =>
    prepareFactor(tx, { user_id: id, email, issuer }),
  )
  if (!made)
    throw conflict('second_factor_enabled', 'There is a second factor already: disable it.')
  return { reply: { ...made, qr: qrOf(made.uri) } }
})

export const enableSecondFactor = door(contract.enableSecondFactor, async (means, visit) => {
  const user_id = visit.actor.user_id ?? ''
  await refuseBeside(means, visit, user_id)
  const recovery_codes = await means.storage.write(personally(user_id), async (tx) => {
    const codes = await enableFactor(tx, user_id, visit.body.code)
    if (codes) await noteShown(tx, visit.actor)
    return codes
  })
  if (!recovery_codes) {
    const why = 'is not of this secret, or was used: wait for the next one'
    throw invalid(fault('code', 'invalid_value', why))
  }
  return { reply: { recovery_codes } }
})

export const renewRecoveryCodes = door(contract.renewRecoveryCodes, async (means, visit) => {
  const { current_password, code } = visit.body
  const { id } = await confirmed(means, visit, current_password)
  if (!(await shownBeside(means, visit, id, code))) throw wrongCode()
  const recovery_codes = await means.storage.write(personally(id), (tx) => {
    tx.audit('recovery_codes.renewed', id, {}, INSTALLATION)
    return renewCodes(tx, id)
  })
  return { reply: { recovery_codes } }
})

export const disableSecondFactor = door(contract.disableSecondFactor, async (means, visit) => {
  const { current_password, code } = visit.body
  const { id } = await confirmed(means, visit, current_password)
  if (!(await shownBeside(means, visit, id, code))) throw wrongCode()
  await means.storage.write(personally(id), async (tx) => {
    if (!(await removeFactor(tx, id))) return
    tx.audit('second_factor.disabled', id, {}, INSTALLATION)
    await advanceGeneration(tx)
  })
  return { reply: {} }
})

/** Codes beside a passkey are made by whoever shows that; codes in place of codes are refused as such. */
async function refuseBeside(means: Means, visit: Visit<Endpoint>, id: string): Promise<void> {
  const hasCodes = await means.storage.read(NOBODY, (tx) => hasSecondFactor(tx, id))
  if (!hasCodes) await refuseUnshown(means, visit)
}

/** The dark squares as the `d` of a path, a row at a time: an image of another type the policy would stop. */
function qrOf(text: string): { size: number; path: string } {
  const { data, size } = encode(text, { ecc: 'L', border: 4 })
  const runs = data.flatMap((cells, y) =>
    cells.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  )
  return { size, path: runs.join('') }
}
