import type { ReactNode } from 'react'
import { useTitle } from '../../lib/browser/use-title.ts'

interface SettingsHeaderProps {
  title: string
  /** The number of items, shown in the gutter. */
  count?: number | undefined
  /** Buttons at the end of the line. */
  actions?: ReactNode
  /** One or two sentences below the heading. */
  children?: ReactNode
}

/** The header of a settings page; its title is the title of the document, too. */
export function SettingsHeader({ title, count, actions, children }: SettingsHeaderProps) {
  useTitle(title)
  return (
    <header className="head">
      <div className="head-top">
        <span className="gut">{count !== undefined && <b>{count}</b>}</span>
        <h1>{title}</h1>
        {actions && <div className="acts">{actions}</div>}
      </div>
      {children !== undefined && (
        <div className="line set-intro">
          <span className="gut" />
          <p>{children}</p>
        </div>
      )}
    </header>
  )
}

/** The heading of a section, with a count in the gutter and buttons at the end. */
export const SectionHeader = ({ title, count, actions }: Omit<SettingsHeaderProps, 'children'>) => (
  <div className="band">
    <span className="gut">{count}</span>
    <h2>{title}</h2>
    {actions && <span className="end acts">{actions}</span>}
  </div>
)
