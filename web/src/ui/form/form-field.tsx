import './form.css'
import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react'
import { Icon } from '../marks/icon.tsx'
import { useForm } from './form.tsx'

interface FieldFrameProps {
  label: string
  name: string
  /** A sentence under the field. */
  hint?: ReactNode
  /** The error to show unless the form reports one for this field. */
  error?: string | undefined
  /** Content beside the field in the same line. */
  beside?: ReactNode
}

/** Attributes that connect a control with its label, hint and error. */
interface FieldAriaProps {
  id: string
  name: string
  'aria-invalid': true | undefined
  'aria-describedby': string | undefined
}

/** A line of a form: the label in the gutter, the control, and its error and hint below. */
export function FormField({
  label,
  name,
  hint,
  error,
  beside,
  children,
}: FieldFrameProps & { children: (aria: FieldAriaProps) => ReactNode }) {
  const id = useId()
  const errorText = useForm().errorAt(name) ?? error
  const describedBy = [
    errorText !== undefined && `${id}-e`,
    hint !== undefined && `${id}-h`,
  ].filter(Boolean)
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
            'aria-invalid': errorText !== undefined || undefined,
            'aria-describedby': describedBy.length > 0 ? describedBy.join(' ') : undefined,
          })}
          {beside}
        </div>
        {errorText !== undefined && (
          <p className="error" id={`${id}-e`}>
            <Icon name="warning" />
            <span>{errorText}</span>
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

type TextFieldProps = FieldFrameProps &
  Omit<InputHTMLAttributes<HTMLInputElement>, 'name'> & { ref?: Ref<HTMLInputElement> }

export const TextField = ({ label, name, hint, error, beside, ...rest }: TextFieldProps) => (
  <FormField {...{ label, name, hint, error, beside }}>
    {(aria) => <input type="text" {...rest} {...aria} className="field" />}
  </FormField>
)

type TextAreaProps = FieldFrameProps & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'name'>

export const TextArea = ({ label, name, hint, error, beside, ...rest }: TextAreaProps) => (
  <FormField {...{ label, name, hint, error, beside }}>
    {(aria) => <textarea rows={4} {...rest} {...aria} className="field" />}
  </FormField>
)

type SelectFieldProps = FieldFrameProps &
  Omit<SelectHTMLAttributes<HTMLSelectElement>, 'name'> & {
    options: readonly { value: string; label: string }[]
  }

export const SelectField = ({
  label,
  name,
  hint,
  error,
  beside,
  options,
  ...rest
}: SelectFieldProps) => (
  <FormField {...{ label, name, hint, error, beside }}>
    {(aria) => (
      <select {...rest} {...aria} className="field">
        {options.map(({ value, label: text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    )}
  </FormField>
)

type CheckFieldProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'type'> & {
  children: ReactNode
  hint?: ReactNode
}

/** A checkbox, or with `radio` a radio button, with its label beside it. */
export function CheckField({
  children,
  hint,
  radio,
  ...rest
}: CheckFieldProps & { radio?: boolean }) {
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

/** A line with a word in the gutter and what it stands for beside it. */
export const LabeledLine = ({ word, children }: { word: string; children: ReactNode }) => (
  <div className="line">
    <span className="gut word">{word}</span>
    <div>{children}</div>
  </div>
)

/** A line of a form for other content than a field, such as buttons. */
export const FormLine = ({ gutter, children }: { gutter?: ReactNode; children: ReactNode }) => (
  <div className="line">
    <span className="gut">{gutter}</span>
    <div className="control">{children}</div>
  </div>
)
