import { flushSync } from 'react-dom'
import { showToast } from '../../../data/app/toasts.ts'
import { useBoot } from '../../../data/session/boot.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormActions } from '../../../ui/form/form-actions.tsx'
import { SelectField, TextField } from '../../../ui/form/form-field.tsx'
import { useRecordEdits } from '../../../ui/form/use-record-edits.ts'
import { getDeviceTimeZone, getTimeZoneOptions } from '../../accounts/index.ts'
import { SectionHeader } from '../settings-header.tsx'
import { formatLocaleExample, formatTimeInZone, getLocaleOptions } from './locale-options.ts'
import { saveAccount } from './save-account.ts'

/** Name, time zone, and the format of dates. */
export function PersonalDetails() {
  const { user } = useBoot('session').session
  const edits = useRecordEdits({ name: user.name, timezone: user.timezone, locale: user.locale })
  const { values, set } = edits
  const send = async () => {
    const { user: saved, needsReload } = await saveAccount(edits.changes)
    // The form has no edits then, for which the browser would ask before a reload.
    flushSync(() => edits.reset(saved))
    if (needsReload) location.reload()
    showToast({ text: settingsMessages.accountSaved })
  }
  return (
    <section aria-label={settingsMessages.you}>
      <SectionHeader title={settingsMessages.you} />
      <Form
        className="set-form"
        guard={edits.hasChanges}
        label={settingsMessages.you}
        onSubmit={send}
      >
        <TextField
          label={settingsMessages.name}
          name="name"
          value={values.name}
          onChange={({ target }) => set('name', target.value)}
          autoComplete="name"
          maxLength={100}
          required
        />
        <SelectField
          label={settingsMessages.zone}
          name="timezone"
          value={values.timezone}
          onChange={({ target }) => set('timezone', target.value)}
          options={getTimeZoneOptions(user.timezone, getDeviceTimeZone())}
          hint={settingsMessages.zoneHint(formatTimeInZone(values.timezone))}
        />
        <SelectField
          label={settingsMessages.locale}
          name="locale"
          value={values.locale}
          onChange={({ target }) => set('locale', target.value)}
          options={getLocaleOptions(user.locale)}
          hint={settingsMessages.localeHint(formatLocaleExample(values.locale))}
        />
        <FormActions>
          <SubmitButton>{settingsMessages.save}</SubmitButton>
        </FormActions>
      </Form>
    </section>
  )
}
