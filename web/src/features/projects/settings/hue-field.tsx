import { HUES, type Hue, nearestHue } from '../../../lib/browser/hue.ts'
import { projectMessages } from '../../../messages/projects/projects.ts'
import { FormField } from '../../../ui/form/form-field.tsx'

const ALL_HUES = Object.keys(HUES).map(Number) as Hue[]

interface HueValueProps {
  /** `#rrggbb`. */
  value: string
  onChange: (color: string) => void
}

/**
 * Selects one of the twelve hues. A color that is no hue, such as one set by the API, stays until
 * the user selects another.
 */
export const HueField = ({
  label,
  name,
  ...rest
}: HueValueProps & { label: string; name: string }) => (
  <FormField label={label} name={name}>
    {(aria) => <HuePicker {...rest} {...aria} />}
  </FormField>
)

type HuePickerProps = HueValueProps & {
  id?: string
  name?: string
  'aria-label'?: string
  disabled?: boolean
}

export function HuePicker({ value, onChange, ...rest }: HuePickerProps) {
  const hue = nearestHue(value)
  return (
    <span className="hue" data-h={hue}>
      <select
        {...rest}
        className="field"
        value={String(hue)}
        onChange={({ target }) =>
          onChange(HUES[ALL_HUES.find((one) => String(one) === target.value) ?? hue])
        }
      >
        {ALL_HUES.map((one) => (
          <option key={one} value={String(one)}>
            {projectMessages.hues[one]}
          </option>
        ))}
      </select>
    </span>
  )
}
