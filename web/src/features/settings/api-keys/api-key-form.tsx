import { useState } from 'react'
import { DAY_MS } from '#lib/durations.ts'
import type { createKey } from '#resources/api-keys/internal.ts'
import type { Scope } from '#wire/scopes.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { apiKeyMessages } from '../../../messages/settings/api-keys.ts'
import { FieldGroup } from '../../../ui/form/field-group.tsx'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormActions } from '../../../ui/form/form-actions.tsx'
import { CheckField, FormLine, SelectField, TextField } from '../../../ui/form/form-field.tsx'
import { Icon } from '../../../ui/marks/icon.tsx'
import { parseSupervision, SupervisionChoice } from '../agents/supervision-choice.tsx'
import { SectionHeader } from '../settings-header.tsx'
import type { ApiKeyWithSecret } from './api-keys-query.ts'
import { parseRateLimit, RateLimitField } from './rate-limit-field.tsx'
import { ScopeGrid } from './scope-grid.tsx'

const SCOPE_CHOICES = ['full', 'read_only', 'chosen'] as const
/** The offered lifetimes in days; 0 means that the key never expires. */
const LIFETIME_DAYS = [7, 30, 90, 365, 0] as const

interface ApiKeyFormProps {
  onCreated: (key: ApiKeyWithSecret) => Promise<void>
  onCancel: () => void
}

/** Asks for the name, the scopes, the lifetime, the rate limit and the supervision of a new API key. */
export function ApiKeyForm({ onCreated, onCancel }: ApiKeyFormProps) {
  const [preset, setPreset] = useState<(typeof SCOPE_CHOICES)[number]>('read_only')
  const [scopes, setScopes] = useState<Scope[]>([])
  const [days, setDays] = useState<number>(90)
  const isReadOnly = preset === 'read_only'
  const send = async ({ name = '', rate_limit = '' }, data: FormData) => {
    const supervision = isReadOnly ? null : parseSupervision(data)
    const body = {
      name,
      rate_limit: parseRateLimit(rate_limit),
      ...(preset === 'chosen' ? { scopes } : { preset }),
      ...(supervision && { supervision }),
      ...(days > 0 && { expires_at: new Date(Date.now() + days * DAY_MS).toISOString() }),
    }
    await onCreated(await requestEndpoint<typeof createKey>('POST /internal/api-keys', { body }))
  }
  return (
    <section className="making" aria-label={apiKeyMessages.form}>
      <SectionHeader title={apiKeyMessages.form} />
      <Form guard="typed" onSubmit={send} label={apiKeyMessages.form}>
        <TextField
          label={apiKeyMessages.name}
          name="name"
          hint={apiKeyMessages.nameHint}
          autoComplete="off"
          maxLength={100}
          required
          autoFocus
        />
        <FieldGroup label={apiKeyMessages.may} radio>
          {SCOPE_CHOICES.map((one) => (
            <CheckField
              key={one}
              radio
              name="preset"
              value={one}
              checked={preset === one}
              onChange={() => setPreset(one)}
            >
              {apiKeyMessages.presets[one]}
            </CheckField>
          ))}
        </FieldGroup>
        {preset === 'chosen' && <ScopeGrid chosen={scopes} onChange={setScopes} />}
        <SelectField
          label={apiKeyMessages.expiry}
          name="expires_at"
          value={String(days)}
          onChange={({ target }) => setDays(Number(target.value))}
          options={LIFETIME_DAYS.map((one) => ({
            value: String(one),
            label: apiKeyMessages.expiries[one],
          }))}
        />
        {days === 0 && (
          <FormLine>
            <p className="warns" role="status">
              <Icon name="warning" />
              {apiKeyMessages.neverWarns}
            </p>
          </FormLine>
        )}
        <RateLimitField defaultValue={null} />
        {!isReadOnly && <SupervisionChoice supervision={null} />}
        <FormActions onCancel={onCancel}>
          <SubmitButton
            {...(preset === 'chosen' && scopes.length === 0 && { reason: apiKeyMessages.noScope })}
          >
            {apiKeyMessages.createDo}
          </SubmitButton>
        </FormActions>
      </Form>
    </section>
  )
}
