import { createApiKey } from '#auth/keys/api-keys.ts'
import { assertSessionActive } from '#auth/sessions/session-confirmation.ts'
import { notifyOfSecurityChange } from '#auth/users/email-confirmation.ts'
import { validationFailed } from '#core/api-error.ts'
import { sessionAction } from '#core/session-action.ts'
import { createKey } from '#resources/api-keys/internal.ts'
import { fieldError } from '#wire/field-error.ts'
import { SCOPE_PRESETS } from '#wire/scopes.ts'

export const createApiKeyAction = sessionAction(createKey, async (deps, context) => {
  const { actor, body } = context
  const { name, preset, scopes = preset ? SCOPE_PRESETS[preset] : [] } = body
  const { expires_at = null, rate_limit = null, supervision = null } = body
  return deps.storage.write(actor, async (tx) => {
    await assertSessionActive(tx, actor)
    if (expires_at !== null && expires_at <= tx.now) {
      throw validationFailed(fieldError('expires_at', 'invalid_value', 'must be in the future'))
    }
    const { user_id } = actor
    const created = { user_id, name, scopes, expires_at, rate_limit, supervision }
    const reply = await createApiKey(tx, created)
    await notifyOfSecurityChange(tx, user_id, 'api_key_created')
    tx.noteChange({ noun: 'api_key', id: reply.id, only_for: user_id })
    return { reply, operation_id: tx.operation_id }
  })
})
