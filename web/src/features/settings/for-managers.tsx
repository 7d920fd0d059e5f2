import type { ReactNode } from 'react'
import { manages, useBoot } from '../../data/boot.ts'
import { m } from '../../messages/settings.ts'
import { Button } from '../../ui/button.tsx'
import { Head } from './head.tsx'

interface Props {
  title: string
  /** What the button says that others cannot press, and what the section is for. */
  create: string
  why: string
  children: ReactNode
}

/** A section that is for owners and admins; others are told so, and what they miss. */
export function ForManagers({ title, create, why, children }: Props) {
  const boot = useBoot()
  if (manages(boot)) return children
  const acts = (
    <Button kind="primary" reason={m.managersOnly}>
      {create}
    </Button>
  )
  return (
    <Head title={title} acts={acts}>
      {why} {m.needsAdmin(m.roleWords[boot.session.user.role])}
    </Head>
  )
}
