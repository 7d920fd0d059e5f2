import type { ReactNode } from 'react'
import { toAttachmentImage, toSafeLink } from '../../lib/markdown/markdown.ts'

/** A link, or only its text if the address is unsafe. */
export function SafeLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  const link = href ? toSafeLink(href, location.origin) : undefined
  if (!link) return <>{children}</>
  return link.own ? (
    <a href={link.href}>{children}</a>
  ) : (
    <a href={link.href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  )
}

/** A thumbnail of an attachment of this server; any other image becomes a link to it. */
export function SafeImage({ src, alt }: { src: string; alt: string }) {
  const own = toAttachmentImage(src, location.origin)
  if (own === undefined) return <SafeLink href={src}>{alt || src}</SafeLink>
  return (
    <a className="picture" href={own} target="_blank" rel="noopener">
      <img src={own} alt={alt} loading="lazy" />
    </a>
  )
}
