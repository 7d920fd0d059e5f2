import { useBoot } from '../../../data/session/boot.ts'
import { apiKeyMessages } from '../../../messages/settings/api-keys.ts'
import { TextField } from '../../../ui/form/form-field.tsx'

interface RateLimitFieldProps {
  defaultValue: number | null
}

/** Requests per minute of a key; empty if only the limit of the workspace applies. */
export function RateLimitField({ defaultValue }: RateLimitFieldProps) {
  const limit = useBoot('session').session.workspace.requests_per_minute
  return (
    <TextField
      label={apiKeyMessages.rateLimit}
      name="rate_limit"
      hint={apiKeyMessages.rateLimitHint(limit)}
      type="number"
      min={1}
      max={limit - 1}
      defaultValue={defaultValue ?? ''}
      autoComplete="off"
    />
  )
}

/** The value of the field; null if it is empty. */
export const parseRateLimit = (text = ''): number | null => (text === '' ? null : Number(text))
