import { useState } from 'react'
import {
  type ColorTheme,
  getRowDensity,
  getTheme,
  type RowDensity,
  setRowDensity,
  setTheme,
} from '../../../lib/browser/theme.ts'
import { getWeekStart, saveWeekStart, WEEK_STARTS } from '../../../lib/dates/week-start.ts'
import { useAtom } from '../../../lib/state/atom.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { FieldGroup } from '../../../ui/form/field-group.tsx'
import { CheckField, SelectField } from '../../../ui/form/form-field.tsx'
import { setSingleKeysEnabled, singleKeysEnabled } from '../../../ui/keyboard/use-shortcuts.ts'
import { SectionHeader } from '../settings-header.tsx'

const THEMES = ['system', 'light', 'dark'] as const
const DENSITIES = ['compact', 'regular', 'roomy'] as const

/**
 * The settings that are stored in this browser: appearance, keyboard shortcuts, first day of the
 * week. Each choice applies at once.
 */
export function BrowserPreferences() {
  const hasSingleKeys = useAtom(singleKeysEnabled)
  const [theme, chooseTheme] = useState(() => findOption(THEMES, getTheme()) ?? 'system')
  const [density, chooseDensity] = useState(
    () => findOption(DENSITIES, getRowDensity()) ?? 'regular',
  )
  const [week, chooseWeek] = useState(getWeekStart)
  return (
    <section aria-label={settingsMessages.screen}>
      <SectionHeader title={settingsMessages.screen} />
      <div className="sheet-form set-form">
        <SelectField
          label={settingsMessages.theme}
          name="theme"
          value={theme}
          options={THEMES.map((value) => ({ value, label: settingsMessages.themes[value] }))}
          onChange={({ target }) => {
            const chosen = findOption(THEMES, target.value) ?? 'system'
            chooseTheme(chosen)
            setTheme(chosen === 'system' ? undefined : (chosen satisfies ColorTheme))
          }}
        />
        <SelectField
          label={settingsMessages.density}
          name="density"
          value={density}
          options={DENSITIES.map((value) => ({ value, label: settingsMessages.densities[value] }))}
          onChange={({ target }) => {
            const chosen = findOption(DENSITIES, target.value) ?? 'regular'
            chooseDensity(chosen)
            setRowDensity(chosen === 'regular' ? undefined : (chosen satisfies RowDensity))
          }}
        />
        <SelectField
          label={settingsMessages.week}
          name="week"
          value={String(week)}
          options={WEEK_STARTS.map((day) => ({
            value: String(day),
            label: settingsMessages.weekdays[day],
          }))}
          onChange={({ target }) => {
            const chosen = WEEK_STARTS.find((day) => String(day) === target.value) ?? week
            chooseWeek(chosen)
            saveWeekStart(chosen)
          }}
        />
        <FieldGroup label={settingsMessages.keys} hint={settingsMessages.screenWhy}>
          <CheckField
            name="keys"
            checked={hasSingleKeys}
            onChange={({ target }) => setSingleKeysEnabled(target.checked)}
            hint={settingsMessages.keysHint}
          >
            {settingsMessages.keysLabel}
          </CheckField>
        </FieldGroup>
      </div>
    </section>
  )
}

const findOption = <T extends string>(
  all: readonly T[],
  value: string | undefined,
): T | undefined => all.find((one) => one === value)
