import type { Project } from '#resources/projects/contract.ts'
import { projectMessages } from '../../messages/projects/projects.ts'
import { SelectField } from '../../ui/form/form-field.tsx'

type ProjectVisibility = Project['visibility']

const VISIBILITIES: readonly ProjectVisibility[] = ['workspace', 'private']

interface VisibilityFieldProps {
  value: ProjectVisibility
  onChange: (visibility: ProjectVisibility) => void
  /** Replaces the usual hint on who will see the project. */
  hint?: string | undefined
}

/** Selects who can see a project. */
export const VisibilityField = ({
  value,
  onChange,
  hint = projectMessages.visibilityHint[value],
}: VisibilityFieldProps) => (
  <SelectField
    label={projectMessages.fields.visibility}
    name="visibility"
    value={value}
    onChange={({ target }) => onChange(VISIBILITIES.find((one) => one === target.value) ?? value)}
    options={VISIBILITIES.map((one) => ({ value: one, label: projectMessages.visibilities[one] }))}
    hint={hint}
  />
)
