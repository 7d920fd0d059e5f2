/** Replaces the name of an erased person. */
export const REMOVED_NAME = 'Removed person'

/** The email address of an erased account, at a domain that can never exist (RFC 2606). */
export const removedEmailOf = (user_id: string): string => `${user_id}@removed.invalid`

const JSON_STRING = '"(?:[^"\\\\]|\\\\.)*"'

/**
 * Removes name, email address and avatar of a user from the JSON of an event, where the user is the
 * actor, the record, its author, or what the event says has changed. All other bytes stay the same.
 * Users cannot forge a match in their texts, because JSON escapes the quotes in them.
 */
export function anonymizePayload(payload: string, user_id: string): string {
  const name = JSON.stringify(REMOVED_NAME)
  const address = JSON.stringify(removedEmailOf(user_id))
  const value = `(?:null|${JSON_STRING})`
  const actor = new RegExp(`("user_id":"${user_id}","name":)${JSON_STRING}`, 'g')
  const record = new RegExp(
    `("id":"${user_id}","name":)${JSON_STRING}(?:(,"email":)${value})?(,"avatar_url":)${value}`,
    'g',
  )
  return anonymizeChanges(payload, user_id)
    .replace(actor, (_, before: string) => `${before}${name}`)
    .replace(record, (_, id: string, email: string | undefined, avatar: string) => {
      return `${id}${name}${email === undefined ? '' : email + address}${avatar}null`
    })
}

const CHANGES = ',"changes":'

/** Removes the former and the new values from the `changes` of a `member.updated` event. */
function anonymizeChanges(payload: string, user_id: string): string {
  const isOfUser = payload.includes(`"data":{"id":"${user_id}"`)
  if (!isOfUser || !payload.includes('"type":"member.updated"')) return payload
  // `changes` are the last member of the envelope.
  const start = payload.lastIndexOf(CHANGES) + CHANGES.length
  const changes: Record<string, unknown> = JSON.parse(payload.slice(start, -1))
  const removed = { name: REMOVED_NAME, email: removedEmailOf(user_id), avatar_url: null }
  for (const [field, value] of Object.entries(removed)) {
    if (field in changes) changes[field] = { from: value, to: value }
  }
  return `${payload.slice(0, start)}${JSON.stringify(changes)}}`
}
