import type { ApiKey, updateKey } from '#resources/api-keys/internal.ts'
import { queryClient } from '../../../data/cache/query-client.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { apiKeyMessages } from '../../../messages/settings/api-keys.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormActions } from '../../../ui/form/form-actions.tsx'
import { openDialog } from '../../../ui/overlays/dialog.tsx'
import { apiKeysQuery } from './api-keys-query.ts'
import { parseRateLimit, RateLimitField } from './rate-limit-field.tsx'

/** Asks how many requests per minute a key may send at most. */
export const openRateLimitDialog = (apiKey: ApiKey): void => {
  openDialog({
    title: apiKeyMessages.rateLimitTitle(apiKey.name),
    body: (close) => <RateLimitForm apiKey={apiKey} onClose={close} />,
  })
}

function RateLimitForm({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { id, name, rate_limit } = apiKey
  const send = async (values: Record<string, string>) => {
    const input = { params: { id }, body: { rate_limit: parseRateLimit(values.rate_limit) } }
    await requestEndpoint<typeof updateKey>('PATCH /internal/api-keys/:id', input)
    await queryClient.invalidateQueries(apiKeysQuery)
    onClose()
  }
  return (
    <Form label={apiKeyMessages.rateLimitTitle(name)} onSubmit={send}>
      <RateLimitField defaultValue={rate_limit} autoFocus />
      <FormActions onCancel={onClose}>
        <SubmitButton>{settingsMessages.save}</SubmitButton>
      </FormActions>
    </Form>
  )
}
