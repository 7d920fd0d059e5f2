import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react'
import { useForm } from './form.tsx'
import { Icon } from './icon.tsx'

interface Frame {
  label: string
  name: string
  /** One sentence under the field. */
  hint?: ReactNode
  /** What is wrong with it, where the form around does not say so. */
  error?: string | undefined
  /** Beside the field, within its line. */
  beside?: ReactNode
}

/** What a control needs to belong to its label, hint and error. */
export interface Aria {
  id: string
  name: string
  'aria-invalid': true | undefined
  'aria-describedby': string | undefined
}

/** A line of a form: label in the gutter, control, error and hint under it. */
export function Field({
  label,
  name,
  hint,
  error,
  beside,
  children,
}: Frame & { children: (aria: Aria) => ReactNode }) {
  const id = useId()
  const wrong = useForm().errorAt(name) ?? error
  const told = [wrong !== undefined && `${id}-e`, hint !== undefined && `${id}-h`].filter(Boolean)
  return (
    <div className="line">
      <label className="gut word" htmlFor={id}>
        {label}
      </label>
      <div className="control">
        <div className={beside ? 'acts beside' : undefined}>
          {children({
            id,
            name,
            'aria-invalid': wrong !== undefined || undefined,
            'aria-describedby': told.length > 0 ? told.join(' ') : undefined,
          })}
          {beside}
        </div>
        {wrong !== undefined && (
          <p className="error" id={`${id}-e`}>
            <Icon name="warning" />
            {wrong}
          </p>
        )}
        {hint !== undefined && (
          <p className="hint" id={`${id}-h`}>
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}

type InputProps = Frame &
  Omit<InputHTMLAttributes<HTMLInputElement>, 'name'> & { ref?: Ref<HTMLInputElement> }

/** A line of text, a password, an address … */
export const TextField = ({ label, name, hint, error, beside, ...rest }: InputProps) => (
  <Field {...frame({ label, name, hint, error, beside })}>
    {(aria) => <input type="text" {...rest} {...aria} className="field" />}
  </Field>
)

type AreaProps = Frame & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'name'>

/** Several lines of text. */
export const TextArea = ({ label, name, hint, error, beside, ...rest }: AreaProps) => (
  <Field {...frame({ label, name, hint, error, beside })}>
    {(aria) => <textarea rows={4} {...rest} {...aria} className="field" />}
  </Field>
)

type SelectProps = Frame &
  Omit<SelectHTMLAttributes<HTMLSelectElement>, 'name'> & {
    options: readonly { value: string; label: string }[]
  }

/** One of a few. */
export const SelectField = ({
  label,
  name,
  hint,
  error,
  beside,
  options,
  ...rest
}: SelectProps) => (
  <Field {...frame({ label, name, hint, error, beside })}>
    {(aria) => (
      <select {...rest} {...aria} className="field">
        {options.map(({ value, label: text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Field>
)

type CheckProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'type'> & {
  children: ReactNode
  hint?: ReactNode
}

/** A box to tick with its words beside it; `radio` for one of several of the same name. */
export function Check({ children, hint, radio, ...rest }: CheckProps & { radio?: boolean }) {
  return (
    <label className="check">
      <input {...rest} type={radio ? 'radio' : 'checkbox'} />
      <span>
        {children}
        {hint !== undefined && <small className="hint">{hint}</small>}
      </span>
    </label>
  )
}

/** A line with nothing but what is given, under the fields: buttons, boxes, a sentence. */
export const FormLine = ({ gutter, children }: { gutter?: ReactNode; children: ReactNode }) => (
  <div className="line">
    <span className="gut">{gutter}</span>
    <div className="control">{children}</div>
  </div>
)

const frame = ({ label, name, hint, error, beside }: Frame): Frame => ({
  label,
  name,
  ...(hint !== undefined && { hint }),
  ...(error !== undefined && { error }),
  ...(beside !== undefined && { beside }),
})
