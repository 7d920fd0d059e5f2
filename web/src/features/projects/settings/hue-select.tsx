import { HUES, type Hue, hueOf } from '../../../lib/hue.ts'
import { m } from '../../../messages/projects.ts'
import { Field } from '../../../ui/field.tsx'

const ALL = Object.keys(HUES).map(Number) as Hue[]

interface Props {
  /** `#rrggbb`. */
  value: string
  onChange: (color: string) => void
}

/** One of the twelve hues, by name, with a swatch; a colour set elsewhere stays until another is chosen. */
export const HueSelect = ({ label, name, ...rest }: Props & { label: string; name: string }) => (
  <Field label={label} name={name}>
    {(aria) => <Swatches {...rest} {...aria} />}
  </Field>
)

type SwatchProps = Props & { id?: string; name?: string; 'aria-label'?: string; disabled?: boolean }

export function Swatches({ value, onChange, ...rest }: SwatchProps) {
  const hue = hueOf(value)
  return (
    <span className="hue" data-h={hue}>
      <select
        {...rest}
        className="field"
        value={String(hue)}
        onChange={({ target }) =>
          onChange(HUES[ALL.find((one) => String(one) === target.value) ?? hue])
        }
      >
        {ALL.map((one) => (
          <option key={one} value={String(one)}>
            {m.hues[one]}
          </option>
        ))}
      </select>
    </span>
  )
}
