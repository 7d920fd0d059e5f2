import { type ReactNode, useId, useState } from 'react'
import { m } from '../messages/ui.ts'
import { Button } from './button.tsx'
import { Copy } from './copy.tsx'

interface Props {
  /** E.g. "nightly-check is ready. Tear it off now." */
  title: string
  secret: string
  /** What stays in the gutter: the hint and the time. */
  stub: ReactNode
  /** Name of the button, e.g. "Copy key". */
  copyLabel: string
  /** A ready command that uses it. */
  example?: { text: string; label: string }
  children?: ReactNode
  /** Told whether it was copied: ask before it is gone if it was not. */
  onDone: (copied: boolean) => void
  /** As soon as it was copied. */
  onCopied?: () => void
}

/** A secret that is shown once, on a panel to tear off along its perforation; the stub stays. */
export function Secret(props: Props) {
  const { title, secret, stub, copyLabel, example, children, onDone, onCopied } = props
  const id = useId()
  const [copied, setCopied] = useState(false)
  const note = () => {
    setCopied(true)
    onCopied?.()
  }
  return (
    <section className="tear line" aria-labelledby={id}>
      <div className="gut stub">{stub}</div>
      <div className="body slip">
        <h2 id={id}>{title}</h2>
        <div className="secret">
          <code>{secret}</code>
          <Copy text={secret} kind="primary" onCopy={note}>
            {copyLabel}
          </Copy>
        </div>
        {children}
        {example && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keys
          <pre className="code" tabIndex={0}>
            {example.text}
          </pre>
        )}
        <div className="acts">
          {example && <Copy text={example.text}>{example.label}</Copy>}
          <Button kind="plain" onClick={() => onDone(copied)}>
            {m.done}
          </Button>
          {!copied && <span className="quiet">{m.leavingAsks}</span>}
        </div>
      </div>
    </section>
  )
}
