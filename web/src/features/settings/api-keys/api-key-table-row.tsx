import { useQueryClient } from '@tanstack/react-query'
import { DAY_MS } from '#lib/durations.ts'
import type { ApiKey, deleteKey, updateKey } from '#resources/api-keys/internal.ts'
import { showToast } from '../../../data/app/toasts.ts'
import { queryClient } from '../../../data/cache/query-client.ts'
import { useMemberNames, useRight } from '../../../data/session/boot.ts'
import { formatRelative } from '../../../lib/dates/instant.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { formatNumber } from '../../../messages/plural.ts'
import { apiKeyMessages } from '../../../messages/settings/api-keys.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { supervisionMessages } from '../../../messages/settings/supervision.ts'
import { getErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormActions } from '../../../ui/form/form-actions.tsx'
import { TableCell, TableRow } from '../../../ui/layout/data-table.tsx'
import { FormattedInstant } from '../../../ui/marks/formatted-instant.tsx'
import { openDialog } from '../../../ui/overlays/dialog.tsx'
import { apiKeysQuery } from './api-keys-query.ts'
import { parseRateLimit, RateLimitField } from './rate-limit-field.tsx'
import { findScopePreset } from './scope-selection.ts'

const EXPIRY_WARNING_MS = 7 * DAY_MS

/** One API key. Revoking needs no confirmation, and takes effect with the next request. */
export function ApiKeyTableRow({ item }: { item: ApiKey }) {
  const seesAll = useRight('manage_workspace')
  const nameOf = useMemberNames()
  const client = useQueryClient()
  const { id, hint, name, user_id, scopes, last_used_at } = item
  const revoke = async () => {
    client.setQueryData(apiKeysQuery.queryKey, (keys) => keys?.filter((one) => one.id !== id))
    try {
      await requestEndpoint<typeof deleteKey>('DELETE /internal/api-keys/:id', { params: { id } })
      showToast({ text: apiKeyMessages.revoked(name, hint) })
    } catch (error) {
      showToast({
        text: apiKeyMessages.notRevoked(name, getErrorMessage(error)),
        tone: 'trouble',
        error,
      })
    }
    await client.invalidateQueries(apiKeysQuery)
  }
  return (
    <TableRow>
      <TableCell className="gut">{hint}</TableCell>
      <TableCell>
        <span className="clip" title={name}>
          {name}
        </span>
        {item.paused_at !== null && <span className="bad">{supervisionMessages.paused}</span>}
        {seesAll && <span className="quiet">{apiKeyMessages.of(nameOf(user_id))}</span>}
      </TableCell>
      <TableCell className="clip mono" title={scopes.join(' ')}>
        {formatScopes(scopes)}
      </TableCell>
      <TableCell>
        <ApiKeyExpiry at={item.expires_at} />
      </TableCell>
      <TableCell>
        <Button
          kind="plain"
          aria-label={apiKeyMessages.rateLimitOf(name, formatRateLimit(item.rate_limit))}
          onClick={() => openRateLimitDialog(item)}
        >
          {formatRateLimit(item.rate_limit)}
        </Button>
      </TableCell>
      <TableCell>
        {last_used_at ? <FormattedInstant at={last_used_at} /> : apiKeyMessages.neverUsed}
      </TableCell>
      <TableCell className="end">
        <Button kind="plain danger" aria-label={apiKeyMessages.revokeOf(name)} onClick={revoke}>
          {apiKeyMessages.revoke}
        </Button>
      </TableCell>
    </TableRow>
  )
}

/** The name of the preset that the scopes are, or all their names. */
export function formatScopes(scopes: readonly string[]): string {
  const preset = findScopePreset(scopes)
  if (preset === 'full') return apiKeyMessages.all
  return preset === 'read_only' ? apiKeyMessages.readOnly : scopes.join(' ')
}

const formatRateLimit = (limit: number | null): string =>
  limit === null ? apiKeyMessages.noRateLimit : formatNumber(limit)

function ApiKeyExpiry({ at }: { at: string | null }) {
  if (at === null) return apiKeyMessages.never
  const remainingMs = Date.parse(at) - Date.now()
  if (remainingMs <= 0)
    return <span className="quiet">{apiKeyMessages.expired(formatRelative(at))}</span>
  return (
    <span className={remainingMs < EXPIRY_WARNING_MS ? 'bad' : undefined}>
      <FormattedInstant at={at} style={remainingMs < EXPIRY_WARNING_MS ? 'ago' : 'day'} />
    </span>
  )
}

/** Asks how many requests per minute a key may send at most. */
const openRateLimitDialog = (apiKey: ApiKey): void => {
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
      <RateLimitField defaultValue={rate_limit} />
      <FormActions onCancel={onClose}>
        <SubmitButton>{settingsMessages.save}</SubmitButton>
      </FormActions>
    </Form>
  )
}
