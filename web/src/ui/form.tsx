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
import { Problem } from '../lib/problem.ts'
import { Button, type ButtonProps } from './button.tsx'
import { TroubleLine } from './trouble.tsx'

interface FormState {
  pending: boolean
  /** What the server says of a field, until it is edited. */
  errorAt: (name: string) => string | undefined
}

const FormContext = createContext<FormState>({ pending: false, errorAt: () => undefined })

/** The form around: whether it is being sent, and what is wrong with a field. */
export const useForm = (): FormState => useContext(FormContext)

interface Props {
  /** Sends the values, by the names of their fields; a `Problem` that is thrown is shown at its fields. */
  onSubmit: (values: Record<string, string>, data: FormData) => Promise<void>
  /** A slip of its own, as for signing in; else it lies on the paper. */
  slip?: boolean
  label?: string
  className?: string
  children: ReactNode
}

/** A form: pending while it is sent, faults at their fields, the first of them focused. */
export function Form({ onSubmit, slip, label, className, children }: Props) {
  const form = useRef<HTMLFormElement>(null)
  const [pending, setPending] = useState(false)
  const [error, setError] = useState<unknown>()
  const [edited, setEdited] = useState<readonly string[]>([])
  const problem = error instanceof Problem ? error : undefined
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [error])

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (pending) return
    const data = new FormData(event.currentTarget)
    const texts = [...data].filter((pair): pair is [string, string] => typeof pair[1] === 'string')
    setPending(true)
    setError(undefined)
    setEdited([])
    try {
      await onSubmit(Object.fromEntries(texts), data)
    } catch (thrown) {
      setError(thrown)
    }
    setPending(false)
  }
  const edit = (event: FormEvent<HTMLFormElement>) => {
    const { name } = event.target as HTMLInputElement
    if (name && problem?.at(name) && !edited.includes(name)) setEdited([...edited, name])
  }
  const sendByKeys = (event: KeyboardEvent<HTMLFormElement>) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    event.currentTarget.requestSubmit()
  }
  const state: FormState = {
    pending,
    errorAt: (name) => (edited.includes(name) ? undefined : problem?.at(name)),
  }
  return (
    <form
      ref={form}
      className={[slip ? 'form slip' : 'sheet-form', className].filter(Boolean).join(' ')}
      aria-label={label}
      noValidate
      onSubmit={submit}
      onInput={edit}
      onKeyDown={sendByKeys}
    >
      <FormContext value={state}>
        {error !== undefined && !isAtFields(form.current, problem) && (
          <div className="line">
            <span className="gut" />
            <TroubleLine error={error} />
          </div>
        )}
        {children}
      </FormContext>
    </form>
  )
}

/** Whether all that is wrong is told at a field of the form. */
const isAtFields = (form: HTMLFormElement | null, problem: Problem | undefined): boolean =>
  problem !== undefined &&
  problem.details.length > 0 &&
  problem.details.every(({ field }) => form?.elements.namedItem(field))

/** Sends the form around it. */
export function Submit(props: Omit<ButtonProps, 'type' | 'busy'>) {
  const { pending } = useForm()
  return <Button kind="primary" {...props} type="submit" busy={pending} />
}
