// Guarantees: uploaded content never runs on our origin, and names and types cannot inject headers.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contentDisposition, contentHeaders } from './content-headers.ts'
import { parseMediaType, safeContentType, safeExtension } from './content-types.ts'

const dispositionKind = (contentType: string | null) =>
  contentHeaders({ contentType, filename: 'f' })['content-disposition']?.split(';')[0]

describe('active content', () => {
  const active = [
    'text/html',
    'TEXT/HTML; charset=utf-8',
    'application/xhtml+xml',
    'image/svg+xml',
    'application/xml',
    'text/xml',
    'application/rss+xml',
    'text/xsl',
    'application/mathml+xml',
    'text/javascript',
    'application/javascript',
    'text/ecmascript',
    'text/css',
    'application/wasm',
    'application/pdf',
    'application/x-shockwave-flash',
    'application/java-archive',
    'multipart/x-mixed-replace',
    'multipart/related',
    'message/rfc822',
    'text/cache-manifest',
    'text/vtt',
    'application/octet-stream',
    'unknown/unknown',
    '*/*',
    'text/html\r\nX-Evil: 1',
    'text',
    '',
    null,
  ]
  test.each(active)('%j is a download with a closed sandbox and without sniffing', (contentType) => {
    const headers = contentHeaders({ contentType, filename: 'page.html' })
    expect(headers['content-disposition']).toMatch(/^attachment; /)
    expect(headers['content-security-policy']).toBe("sandbox; default-src 'none'")
    expect(headers['x-content-type-options']).toBe('nosniff')
  })
})

describe('plain media', () => {
  const shown = [
    'image/png',
    'image/jpeg',
    'IMAGE/WebP',
    'audio/mpeg',
    'video/mp4; codecs="avc1"',
    'text/plain',
    'application/json',
  ]
  test.each(shown)('%s is shown inline with a sandbox and without sniffing', (contentType) => {
    const headers = contentHeaders({ contentType, filename: 'f' })
    expect(headers['content-disposition']).toMatch(/^inline; /)
    expect(headers['content-security-policy']).toMatch(/^sandbox; default-src 'none'; /)
    expect(headers['content-security-policy']).not.toMatch(/script-src|allow-/)
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['cache-control']).toBe('private')
  })

  test('is a download on request', () => {
    const headers = contentHeaders({ contentType: 'image/png', filename: 'f.png', download: true })
    expect(headers['content-disposition']).toBe('attachment; filename="f.png"')
  })
})

describe('the content type', () => {
  const cases: [claimed: string | null | undefined, served: string][] = [
    ['image/png', 'image/png'],
    ['Image/PNG', 'image/png'],
    [' text/plain ;charset=UTF-8 ', 'text/plain; charset=UTF-8'],
    ['text/plain; charset="utf-8"', 'text/plain; charset="utf-8"'],
    ['text/plain;', 'text/plain'],
    [
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ],
    ['text/plain, text/html', 'application/octet-stream'],
    ['text/plain; charset', 'application/octet-stream'],
    ['text/plain; a="b\nc"', 'application/octet-stream'],
    ['text/plain; a="ü"', 'application/octet-stream'],
    ['text/plain\0', 'application/octet-stream'],
    ['text /plain', 'application/octet-stream'],
    ['text/', 'application/octet-stream'],
    [`text/${'x'.repeat(300)}`, 'application/octet-stream'],
    ['', 'application/octet-stream'],
    [null, 'application/octet-stream'],
    [undefined, 'application/octet-stream'],
  ]
  test.each(cases)('%j is served as %j', (claimed, served) => {
    expect(safeContentType(claimed)).toBe(served)
    expect(parseMediaType(served)).not.toBeNull()
  })
})

describe('the disposition', () => {
  const cases: [claim: string, filename: string | null | undefined, expected: string][] = [
    ['a plain name', 'report.pdf', 'attachment; filename="report.pdf"'],
    ['no name', undefined, 'attachment'],
    ['null', null, 'attachment'],
    ['an empty name', '  ', 'attachment'],
    ['spaces', 'my report.pdf', 'attachment; filename="my report.pdf"'],
    ['quotes', 'a"b.txt', `attachment; filename="a_b.txt"; filename*=UTF-8''a%22b.txt`],
    ['a percent sign', '50%.txt', `attachment; filename="50_.txt"; filename*=UTF-8''50%25.txt`],
    ['accents', 'café.txt', `attachment; filename="cafe.txt"; filename*=UTF-8''caf%C3%A9.txt`],
    ['euro sign', '€.txt', `attachment; filename="_.txt"; filename*=UTF-8''%E2%82%AC.txt`],
    ['an emoji', '🐟.png', `attachment; filename="_.png"; filename*=UTF-8''%F0%9F%90%9F.png`],
    ['characters outside attr-char', "it's (a)*.txt", `attachment; filename="it's (a)*.txt"`],
    ['the same, encoded', "é'(*).txt", `attachment; filename="e'(*).txt"; filename*=UTF-8''%C3%A9%27%28%2A%29.txt`],
    ['a path', '/etc/../passwd', 'attachment; filename="passwd"'],
    ['a Windows path', 'C:\\Users\\me\\x.txt', 'attachment; filename="x.txt"'],
    ['dots only', '..', 'attachment'],
    ['a line break', 'a\r\nSet-Cookie: x=1.txt', 'attachment; filename="aSet-Cookie: x=1.txt"'],
    ['a reversed extension', 'gnp\u202e.exe', 'attachment; filename="gnp.exe"'],
    ['a lone surrogate', 'a\ud800.txt', `attachment; filename="a_.txt"; filename*=UTF-8''a%EF%BF%BD.txt`],
    ['a semicolon stays inside the quotes', 'a; filename=b.html', 'attachment; filename="a; filename=b.html"'],
  ]
  test.each(cases)('%s', (_, filename, expected) => {
    expect(contentDisposition('attachment', filename)).toBe(expected)
  })

  test('a long name is cut and keeps its extension', () => {
    const header = contentDisposition('attachment', `${'x'.repeat(5000)}.tar`)
    expect(header.length).toBeLessThan(300)
    expect(header).toMatch(/x\.tar"$/)
  })

  test('no name or type can inject: every header is printable ASCII with balanced quotes', () => {
    const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.string())
    fc.assert(
      fc.property(anyText, anyText, (filename, contentType) => {
        const headers = contentHeaders({ filename, contentType })
        for (const value of Object.values(headers)) expect(value).toMatch(/^[\x20-\x7e]+$/)
        expect(headers['content-disposition']).toMatch(
          /^(?:attachment|inline)(?:; filename="[^"\\]*"(?:; filename\*=UTF-8''[A-Za-z0-9!~._%-]*)?)?$/,
        )
        expect(() => new Headers(headers)).not.toThrow()
      }),
      { numRuns: 500 },
    )
  })
})

describe('the extension', () => {
  const cases: [filename: string | null, contentType: string | null, extension: string][] = [
    ['photo.PNG', null, 'png'],
    ['archive.tar.gz', null, 'gz'],
    ['noext', 'image/jpeg', 'jpg'],
    ['noext', 'text/html; charset=utf-8', 'html'],
    ['noext', 'application/unheard-of', 'bin'],
    ['noext', 'constructor/toString', 'bin'],
    ['.bashrc', null, 'bin'],
    ['a.', 'image/png', 'png'],
    ['a.b c', 'image/png', 'png'],
    ['a.verylongextension', 'image/png', 'png'],
    ['a.php\0', null, 'bin'],
    ['a.p/hp', null, 'bin'],
    ['a./x', null, 'bin'],
    ['a.пнг', 'image/png', 'png'],
    ['a.png/..', null, 'bin'],
    [null, null, 'bin'],
    ['', 'nonsense', 'bin'],
  ]
  test.each(cases)('%j of type %j is %s', (filename, contentType, extension) => {
    expect(safeExtension(filename, contentType)).toBe(extension)
  })
})

test('an inline disposition depends on the essence of the type, not on its parameters', () => {
  expect(dispositionKind('text/html; x="image/png"')).toBe('attachment')
  expect(dispositionKind('image/png; x="text/html"')).toBe('inline')
})
