import type { Project } from '#resources/projects/contract.ts'
import { m } from '../../messages/projects.ts'
import { SelectField } from '../../ui/field.tsx'

type Visibility = Project['visibility']

const VISIBILITIES: readonly Visibility[] = ['workspace', 'private']

interface Props {
  value: Visibility
  onChange: (visibility: Visibility) => void
  /** What will be seen by whom, where there is more to say than usual. */
  hint?: string | undefined
}

/** Who sees a project. */
export const VisibilityField = ({ value, onChange, hint = m.visibilityHint[value] }: Props) => (
  <SelectField
    label={m.fields.visibility}
    name="visibility"
    value={value}
    onChange={({ target }) => onChange(VISIBILITIES.find((one) => one === target.value) ?? value)}
    options={VISIBILITIES.map((one) => ({ value: one, label: m.visibilities[one] }))}
    hint={hint}
  />
)
