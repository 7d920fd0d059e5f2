import './form.css'
import {
  createContext,
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { InlineError } from '../feedback/error-message.tsx'
import { Button, type ButtonProps } from './button.tsx'
import { markFormUnsaved, useUnsavedForm } from './unsaved-forms.ts'

interface FormState {
  pending: boolean
  /** The server's error for a field, until the field is edited. */
  errorAt: (name: string) => string | undefined
}

const FormContext = createContext<FormState>({ pending: false, errorAt: () => undefined })

/** The state of the surrounding form: whether it is being submitted, and the field errors. */
export const useForm = (): FormState => useContext(FormContext)

interface FormProps {
  /** Submits the values by field name; a thrown `ApiResponseError` is shown at its fields. */
  onSubmit: (values: Record<string, string>, data: FormData) => Promise<void>
  /** When leaving the page or dialog asks first: once something is typed, or while there are edits. */
  guard?: 'typed' | boolean
  /** Renders the form as a card of its own, as on the sign-in page. */
  slip?: boolean
  label?: string
  className?: string
  children: ReactNode
}

/** A form that shows field errors from the server and focuses the first invalid field. */
export function Form({ onSubmit, guard, slip, label, className, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null)
  const [pending, setPending] = useState(false)
  const [error, setError] = useState<unknown>()
  const [edited, setEdited] = useState<readonly string[]>([])
  useUnsavedForm(form, guard === 'typed' ? undefined : guard)
  const problem = error instanceof ApiResponseError ? error : undefined
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [error])

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (pending) return
    const { currentTarget } = event
    const data = new FormData(currentTarget)
    const textEntries = [...data].filter(
      (pair): pair is [string, string] => typeof pair[1] === 'string',
    )
    setPending(true)
    setError(undefined)
    setEdited([])
    try {
      await onSubmit(Object.fromEntries(textEntries), data)
      if (guard === 'typed') markFormUnsaved(currentTarget, false)
    } catch (thrown) {
      setError(thrown)
    }
    setPending(false)
  }
  const handleInput = (event: FormEvent<HTMLFormElement>) => {
    if (guard === 'typed') markFormUnsaved(event.currentTarget, true)
    const { name } = event.target as HTMLInputElement
    if (name && problem?.messageFor(name) && !edited.includes(name)) setEdited([...edited, name])
  }
  const submitOnModEnter = (event: KeyboardEvent<HTMLFormElement>) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    event.currentTarget.requestSubmit()
  }
  const state: FormState = {
    pending,
    errorAt: (name) => (edited.includes(name) ? undefined : problem?.messageFor(name)),
  }
  return (
    <form
      ref={form}
      className={[slip ? 'form slip' : 'sheet-form', className].filter(Boolean).join(' ')}
      aria-label={label}
      noValidate
      onSubmit={submit}
      onInput={handleInput}
      onKeyDown={submitOnModEnter}
    >
      <FormContext value={state}>
        {error !== undefined && !areAllErrorsAtFields(form.current, problem) && (
          <div className="line">
            <span className="gut" />
            <InlineError error={error} onRetry={() => form.current?.requestSubmit()} />
          </div>
        )}
        {children}
      </FormContext>
    </form>
  )
}

/** Whether every error of the problem belongs to a field of the form. */
const areAllErrorsAtFields = (
  form: HTMLFormElement | null,
  problem: ApiResponseError | undefined,
): boolean =>
  problem !== undefined &&
  problem.details.length > 0 &&
  problem.details.every(({ field }) => form?.elements.namedItem(field))

/** Submits the surrounding form. */
export function SubmitButton(props: Omit<ButtonProps, 'type' | 'busy'>) {
  const { pending } = useForm()
  return <Button kind="primary" {...props} type="submit" busy={pending} />
}
