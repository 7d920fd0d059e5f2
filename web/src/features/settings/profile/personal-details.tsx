import { flushSync } from 'react-dom'
import { showToast } from '../../../data/app/toasts.ts'
import { toRegionalLocale, useBoot } from '../../../data/session/boot.ts'
import { saveAccount } from '../../../data/session/save-account.ts'
import { formatDuration, listHoursPerDay } from '../../../lib/dates/duration.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormActions } from '../../../ui/form/form-actions.tsx'
import { SelectField, TextField } from '../../../ui/form/form-field.tsx'
import { useRecordEdits } from '../../../ui/form/use-record-edits.ts'
import { getDeviceTimeZone, getTimeZoneOptions } from '../../accounts/index.ts'
import { SectionHeader } from '../settings-header.tsx'

/** Name, time zone, and the format of dates. */
export function PersonalDetails() {
  const { user, hours_per_day } = useBoot('session').session
  const { name, timezone, locale } = user
  const edits = useRecordEdits({ name, timezone, locale, hours_per_day })
  const { values, set } = edits
  const send = async () => {
    const { user: saved, needsReload } = await saveAccount(edits.changes)
    // The form has no edits then, for which the browser would ask before a reload.
    flushSync(() => edits.reset({ ...saved, hours_per_day: values.hours_per_day }))
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
        <SelectField
          label={settingsMessages.hoursPerDay}
          name="hours_per_day"
          value={String(values.hours_per_day)}
          onChange={({ target }) => set('hours_per_day', Number(target.value))}
          options={listHoursPerDay(hours_per_day).map((hours) => ({
            value: String(hours),
            label: formatDuration(hours * 3_600),
          }))}
          hint={settingsMessages.hoursPerDayHint}
        />
        <FormActions>
          <SubmitButton>{settingsMessages.save}</SubmitButton>
        </FormActions>
      </Form>
    </section>
  )
}

/** The languages that Docket speaks, with their date formats; one that was set elsewhere stays selectable. */
const OFFERED_LOCALES = ['en', 'en-GB', 'en-US', 'de', 'de-AT', 'de-CH']

/** Options for the offered locales and the current one, each named in its own language. */
const getLocaleOptions = (current: string): { value: string; label: string }[] =>
  [...new Set([...OFFERED_LOCALES, current])].map((value) => ({
    value,
    label: formatLocaleName(value),
  }))

function formatLocaleName(locale: string): string {
  try {
    const name = new Intl.DisplayNames([locale], { type: 'language' }).of(locale) ?? locale
    return name.charAt(0).toLocaleUpperCase(locale) + name.slice(1)
  } catch {
    return locale
  }
}

/** A date and a number as the screens write them if this is the locale of the profile: "Tuesday 24 November 2026, 1,204.5". */
function formatLocaleExample(locale: string, now: number = Date.now()): string {
  try {
    const regional = toRegionalLocale(locale)
    const day = new Intl.DateTimeFormat(regional, { dateStyle: 'full' }).format(now)
    return `${day}, ${new Intl.NumberFormat(regional).format(1204.5)}`
  } catch {
    return locale
  }
}

/** The current time in a time zone: "14:02". */
function formatTimeInZone(zone: string, now: number = Date.now()): string {
  const style = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  return new Intl.DateTimeFormat('en-GB', { ...style, timeZone: zone }).format(now)
}
