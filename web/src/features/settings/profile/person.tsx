import { useState } from 'react'
import { useBoot } from '../../../data/boot.ts'
import { toast } from '../../../data/toasts.ts'
import { m } from '../../../messages/settings.ts'
import { SelectField, TextField } from '../../../ui/field.tsx'
import { Form, Submit } from '../../../ui/form.tsx'
import { FormActs } from '../../../ui/form-acts.tsx'
import { allZones, deviceZone } from '../../accounts/zones.ts'
import { Band } from '../head.tsx'
import { saveAccount } from './account.ts'
import { exampleOf, localesWith, timeIn } from './locales.ts'

/** Name, time zone, and how dates are written. */
export function Person() {
  const { user } = useBoot().session
  const [zone, setZone] = useState(user.timezone)
  const [locale, setLocale] = useState(user.locale)
  const send = async ({ name = '' }) => {
    await saveAccount({
      ...(name !== user.name && { name }),
      ...(zone !== user.timezone && { timezone: zone }),
      ...(locale !== user.locale && { locale }),
    })
    toast({ text: m.accountSaved })
  }
  return (
    <section aria-label={m.you}>
      <Band title={m.you} />
      <Form className="set-form" label={m.you} onSubmit={send}>
        <TextField
          label={m.name}
          name="name"
          defaultValue={user.name}
          autoComplete="name"
          maxLength={100}
          required
        />
        <SelectField
          label={m.zone}
          name="timezone"
          value={zone}
          onChange={({ target }) => setZone(target.value)}
          options={allZones(user.timezone, deviceZone())}
          hint={m.zoneHint(timeIn(zone))}
        />
        <SelectField
          label={m.locale}
          name="locale"
          value={locale}
          onChange={({ target }) => setLocale(target.value)}
          options={localesWith(user.locale)}
          hint={m.localeHint(exampleOf(locale))}
        />
        <FormActs>
          <Submit>{m.save}</Submit>
        </FormActs>
      </Form>
    </section>
  )
}
