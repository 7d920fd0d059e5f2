import { unsavedMessages } from '../../messages/app/unsaved.ts'
import './secret-panel.css'
import { type ReactNode, useId, useState } from 'react'
import { uiMessages } from '../../messages/app/ui.ts'
import { Button } from '../form/button.tsx'
import { CopyButton } from '../form/copy-button.tsx'

interface SecretPanelProps {
  /** E.g. "nightly-check is ready. Copy it now." */
  title: string
  secret: string
  /** Content of the gutter: the hint and the time. */
  stub: ReactNode
  /** The label of the copy button, e.g. "Copy key". */
  copyLabel: string
  /** A ready-made command that uses the secret. */
  example?: { text: string; label: string }
  children?: ReactNode
  /** Receives whether the secret was copied, to ask before it is lost if it was not. */
  onDone: (copied: boolean) => void
  /** Called as soon as the secret was copied. */
  onCopied?: () => void
}

/** Shows a new secret once, as a slip with a perforation and a stub. */
export function SecretPanel(props: SecretPanelProps) {
  const { title, secret, stub, copyLabel, example, children, onDone, onCopied } = props
  const id = useId()
  const [copied, setCopied] = useState(false)
  const markCopied = () => {
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
          <CopyButton text={secret} kind="primary" onCopy={markCopied}>
            {copyLabel}
          </CopyButton>
        </div>
        {children}
        {example && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keys
          <pre className="code" tabIndex={0}>
            {example.text}
          </pre>
        )}
        <div className="acts">
          {example && <CopyButton text={example.text}>{example.label}</CopyButton>}
          <Button kind="plain" onClick={() => onDone(copied)}>
            {uiMessages.done}
          </Button>
          {!copied && <span className="quiet">{unsavedMessages.leavingAsks}</span>}
        </div>
      </div>
    </section>
  )
}
