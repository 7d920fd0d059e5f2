import { useState } from 'react'
import { showToast } from '../../../data/app/toasts.ts'
import { useBoot } from '../../../data/session/boot.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormActions } from '../../../ui/form/form-actions.tsx'
import { SelectField, TextField } from '../../../ui/form/form-field.tsx'
import { getDeviceTimeZone, getTimeZoneOptions } from '../../accounts/index.ts'
import { SectionHeader } from '../settings-header.tsx'
import { formatLocaleExample, formatTimeInZone, getLocaleOptions } from './locale-options.ts'
import { saveAccount } from './save-account.ts'

/** Name, time zone, and the format of dates. */
export function PersonalDetails() {
  const { user } = useBoot().session
  const [zone, setZone] = useState(user.timezone)
  const [locale, setLocale] = useState(user.locale)
  const send = async ({ name = '' }) => {
    await saveAccount({
      ...(name !== user.name && { name }),
      ...(zone !== user.timezone && { timezone: zone }),
      ...(locale !== user.locale && { locale }),
    })
    showToast({ text: settingsMessages.accountSaved })
  }
  return (
    <section aria-label={settingsMessages.you}>
      <SectionHeader title={settingsMessages.you} />
      <Form className="set-form" label={settingsMessages.you} onSubmit={send}>
        <TextField
          label={settingsMessages.name}
          name="name"
          defaultValue={user.name}
          autoComplete="name"
          maxLength={100}
          required
        />
        <SelectField
          label={settingsMessages.zone}
          name="timezone"
          value={zone}
          onChange={({ target }) => setZone(target.value)}
          options={getTimeZoneOptions(user.timezone, getDeviceTimeZone())}
          hint={settingsMessages.zoneHint(formatTimeInZone(zone))}
        />
        <SelectField
          label={settingsMessages.locale}
          name="locale"
          value={locale}
          onChange={({ target }) => setLocale(target.value)}
          options={getLocaleOptions(user.locale)}
          hint={settingsMessages.localeHint(formatLocaleExample(locale))}
        />
        <FormActions>
          <SubmitButton>{settingsMessages.save}</SubmitButton>
        </FormActions>
      </Form>
    </section>
  )
}
