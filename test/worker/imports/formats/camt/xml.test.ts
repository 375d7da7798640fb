import { parseXml, XmlCdata, XmlElement, XmlText } from '@rgrove/parse-xml'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attributesOf, readXml } from '../../../../../src/imports/formats/markup.ts'
import { Invalid } from '../../../../../src/shared/failures.ts'
import { corpus } from '../corpus.ts'

/** The names, attributes and texts of a document in their order; null if it is not well-formed. */
type Said = unknown[] | null

function byOurs(xml: string): Said {
  const root: unknown[] = []
  const open = [root]
  const say = (what: unknown) => open.at(-1)?.push(what)
  try {
    readXml(xml, {
      open(name, attributes) {
        const children: unknown[] = []
        say([name, Object.fromEntries(attributesOf(attributes)), children])
        open.push(children)
      },
      text: (text) => open.length > 1 && say(text),
      close: () => open.pop(),
    })
  } catch (error) {
    if (error instanceof Invalid) return null
    throw error
  }
  return joined(root)
}

function byParseXml(xml: string): Said {
  const say = (element: XmlElement): unknown[] => [
    element.name.replace(/^.*:/, ''),
    { ...element.attributes },
    joined(
      element.children.flatMap((node): unknown[] => {
        if (node instanceof XmlElement) return [say(node)]
        return node instanceof XmlText || node instanceof XmlCdata ? [node.text] : []
      }),
    ),
  ]
  try {
    const { root } = parseXml(xml)
    return root && [say(root)]
  } catch {
    return null
  }
}

/** Joins neighbouring texts, whatever was between them. */
function joined(nodes: unknown[]): unknown[] {
  const all: unknown[] = []
  for (const node of nodes) {
    const children = Array.isArray(node) ? [node[0], node[1], joined(node[2])] : node
    const last = all.at(-1)
    if (typeof node === 'string' && typeof last === 'string') all[all.length - 1] = last + node
    else if (node !== '') all.push(children)
  }
  return all
}

/** The pieces that documents are made of, valid and invalid ones. */
const pieces = fc.constantFrom(
  ...['<a>', '</a>', '<b c="d">', '</b>', '<n:a/>', '<a b=\'&amp;"\' c = "1"/>', '<a b="1" b="2"/>'],
  ...['<a b=c/>', 'text', ' ', '\n', '&amp;', '&#65;', '&#x1F600;', '&#0;', '&#xD800;', '&euro;', '&'],
  ...['&amp', ']]>', '>', '<', '"', '<!-- a -->', '<!-- -- -->', '<!--->', '<![CDATA[ <&>]] ]]>'],
  ...['<![CDATA[', '<?pi some?>', '<?xml?>', '<?pi?>', '<?pi', '<é/>', '<1/>', '<a b>', '</a >', '</ a>'],
  ...['<a\n b="\n<"/>', '\u0001', '😀', '<a b="😀&lt;"/>', '<a b="1"c="2"/>'],
)
const documents = fc
  .tuple(
    fc.constantFrom(
      '',
      '<?xml version="1.0"?>',
      '<?xml version="1.0" encoding="utf-8" standalone="no" ?>\n',
      ' <?xml version="1.0"?>',
      '<?xml?>',
    ),
    fc.array(pieces, { maxLength: 12 }),
    fc.boolean(),
  )
  .map(([prolog, parts, isWrapped]) => prolog + (isWrapped ? `<r>${parts.join('')}</r>` : parts.join('')))

/** Documents that are not well-formed may be read, as long as their elements are nested. */
function expectAsParseXml(xml: string): void {
  const said = byParseXml(xml)
  if (said) expect(byOurs(xml)).toEqual(said)
}

test('well-formed documents of any kind are read as parse-xml reads them', () => {
  fc.assert(fc.property(documents, expectAsParseXml), { numRuns: 20_000 })
})

test('documents that have been damaged and are still well-formed are read as parse-xml reads them', () => {
  const files = [...corpus].flatMap(([path, text]) => (path.endsWith('.xml') ? [text] : []))
  const damage = fc.record({
    file: fc.constantFrom(...files),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.integer({ min: 0, max: 20 }),
    piece: pieces,
  })
  fc.assert(
    fc.property(damage, ({ file, at, length, piece }) => {
      const place = Math.floor(at * file.length)
      expectAsParseXml(file.slice(0, place) + piece + file.slice(place + length))
    }),
    { numRuns: 1_000 },
  )
})

test.each([
  '<a><b></a></b>',
  '<a></a><b></b>',
  '<a><b></a>',
  '<a>',
  '<a></a></b>',
  '<a>1 < 2</a>',
  '<a><b',
  '<a><!-- </a>',
])('elements that are not nested are refused: %s', (xml) => {
  expect(byOurs(xml)).toBeNull()
})

test('white space in an attribute is a space, unless a reference stands for it', () => {
  const xml = '<a b="\n1\r\n2\t3\r4&#10;"/>'
  expect(byOurs(xml)).toEqual([['a', { b: ' 1 2 3 4\n' }, []]])
  expect(byOurs(xml)).toEqual(byParseXml(xml))
})
