import { useState } from 'react'
import type { createKey } from '#resources/api-keys/internal.ts'
import type { Scope } from '#wire/scopes.ts'
import { call } from '../../../lib/call.ts'
import { m } from '../../../messages/api-keys.ts'
import { Check, FormLine, SelectField, TextField } from '../../../ui/field.tsx'
import { Form, Submit } from '../../../ui/form.tsx'
import { FormActs } from '../../../ui/form-acts.tsx'
import { GroupLine } from '../../../ui/group-line.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Band } from '../head.tsx'
import type { MadeKey } from './keys-query.ts'
import { ScopeGrid } from './scope-grid.tsx'

const PRESETS = ['full', 'read_only', 'chosen'] as const
const DAYS = [7, 30, 90, 365, 0] as const
const DAY_MS = 86_400_000

interface Props {
  onMade: (key: MadeKey) => Promise<void>
  onCancel: () => void
}

/** Asks for a name, what the key may do, and for how long. */
export function KeyForm({ onMade, onCancel }: Props) {
  const [preset, setPreset] = useState<(typeof PRESETS)[number]>('read_only')
  const [scopes, setScopes] = useState<Scope[]>([])
  const [days, setDays] = useState<number>(90)
  const send = async ({ name = '' }) => {
    const body = {
      name,
      ...(preset === 'chosen' ? { scopes } : { preset }),
      ...(days > 0 && { expires_at: new Date(Date.now() + days * DAY_MS).toISOString() }),
    }
    await onMade(await call<typeof createKey>('POST /internal/api-keys', { body }))
  }
  return (
    <section className="making" aria-label={m.form}>
      <Band title={m.form} />
      <Form onSubmit={send} label={m.form}>
        <TextField
          label={m.name}
          name="name"
          hint={m.nameHint}
          autoComplete="off"
          maxLength={100}
          required
          autoFocus
        />
        <GroupLine label={m.may} radio>
          {PRESETS.map((one) => (
            <Check
              key={one}
              radio
              name="preset"
              value={one}
              checked={preset === one}
              onChange={() => setPreset(one)}
            >
              {m.presets[one]}
            </Check>
          ))}
        </GroupLine>
        {preset === 'chosen' && <ScopeGrid chosen={scopes} onChange={setScopes} />}
        <SelectField
          label={m.expiry}
          name="expires_at"
          value={String(days)}
          onChange={({ target }) => setDays(Number(target.value))}
          options={DAYS.map((one) => ({ value: String(one), label: m.expiries[one] }))}
        />
        {days === 0 && (
          <FormLine>
            <p className="warns" role="status">
              <Icon name="warning" />
              {m.neverWarns}
            </p>
          </FormLine>
        )}
        <FormActs onCancel={onCancel}>
          <Submit {...(preset === 'chosen' && scopes.length === 0 && { reason: m.noScope })}>
            {m.createDo}
          </Submit>
        </FormActs>
      </Form>
    </section>
  )
}
