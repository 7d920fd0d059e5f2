import { useState } from 'react'
import { useSignal } from '../../../lib/signal.ts'
import {
  type Density,
  densityNow,
  setDensity,
  setTheme,
  type Theme,
  themeNow,
} from '../../../lib/theme.ts'
import { setWeekStart, WEEK_STARTS, weekStart } from '../../../lib/week.ts'
import { m } from '../../../messages/settings.ts'
import { Check, SelectField } from '../../../ui/field.tsx'
import { GroupLine } from '../../../ui/group-line.tsx'
import { setSingleKeys, singleKeys } from '../../../ui/keys.ts'
import { Band } from '../head.tsx'

const THEMES = ['system', 'light', 'dark'] as const
const DENSITIES = ['compact', 'regular', 'roomy'] as const

/** What stays in this browser: looks, keys, first day of the week. Each choice holds at once. */
export function ThisBrowser() {
  const single = useSignal(singleKeys)
  const [theme, chooseTheme] = useState(() => one(THEMES, themeNow()) ?? 'system')
  const [density, chooseDensity] = useState(() => one(DENSITIES, densityNow()) ?? 'regular')
  const [week, chooseWeek] = useState(weekStart)
  return (
    <section aria-label={m.screen}>
      <Band title={m.screen} />
      <div className="sheet-form set-form">
        <SelectField
          label={m.theme}
          name="theme"
          value={theme}
          options={THEMES.map((value) => ({ value, label: m.themes[value] }))}
          onChange={({ target }) => {
            const chosen = one(THEMES, target.value) ?? 'system'
            chooseTheme(chosen)
            setTheme(chosen === 'system' ? undefined : (chosen satisfies Theme))
          }}
        />
        <SelectField
          label={m.density}
          name="density"
          value={density}
          options={DENSITIES.map((value) => ({ value, label: m.densities[value] }))}
          onChange={({ target }) => {
            const chosen = one(DENSITIES, target.value) ?? 'regular'
            chooseDensity(chosen)
            setDensity(chosen === 'regular' ? undefined : (chosen satisfies Density))
          }}
        />
        <SelectField
          label={m.week}
          name="week"
          value={String(week)}
          options={WEEK_STARTS.map((day) => ({ value: String(day), label: m.weekdays[day] }))}
          onChange={({ target }) => {
            const chosen = WEEK_STARTS.find((day) => String(day) === target.value) ?? week
            chooseWeek(chosen)
            setWeekStart(chosen)
          }}
        />
        <GroupLine label={m.keys} hint={m.screenWhy}>
          <Check
            name="keys"
            checked={single}
            onChange={({ target }) => setSingleKeys(target.checked)}
            hint={m.keysHint}
          >
            {m.keysLabel}
          </Check>
        </GroupLine>
      </div>
    </section>
  )
}

const one = <T extends string>(all: readonly T[], text: string | undefined): T | undefined =>
  all.find((each) => each === text)
