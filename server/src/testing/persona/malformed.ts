// Messages as broken and hostile programs write them, small enough to read.

const HEAD = 'From: Ann <ann@persona.test>\r\nTo: me@home.test\r\nSubject: broken\r\nMessage-ID: <broken@persona.test>\r\n';
const multipart = (boundary: string) => `Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n`;

/** Each has a header that can be read, whatever follows. */
export const malformed: Readonly<Record<string, Buffer>> = {
  'no body': Buffer.from(HEAD),
  'no end of multipart': Buffer.from(`${HEAD}${multipart('b')}--b\r\nContent-Type: text/plain\r\n\r\ncut he`),
  'boundary that never comes': Buffer.from(`${HEAD}${multipart('b')}text without a boundary`),
  'empty boundary': Buffer.from(`${HEAD}Content-Type: multipart/mixed; boundary=""\r\n\r\n--\r\n\r\nx\r\n`),
  'unknown charset': Buffer.from(`${HEAD}Content-Type: text/plain; charset=klingon-8\r\n\r\nnuqneH`),
  'bytes that are no UTF-8': Buffer.concat([Buffer.from(`${HEAD}\r\n`), Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0])]),
  'broken base64': Buffer.from(`${HEAD}Content-Transfer-Encoding: base64\r\n\r\n!!!!=QUJ\r\n=`),
  'bare line feeds': Buffer.from(`${HEAD}\r\nhello\r\n`.replaceAll('\r\n', '\n')),
  'NUL in header': Buffer.from(`X: \0\r\n${HEAD}\r\nhello`),
  'absurd date': Buffer.from(`Date: Thu, 99 Foo 99999 25:61:61 +9999\r\n${HEAD}\r\nhello`),
  'message-id of 10,000 letters': Buffer.from(`${HEAD.replace('<broken@', `<${'a'.repeat(10_000)}@`)}\r\nhello`),
  'two message-ids': Buffer.from(`${HEAD}Message-ID: <second@persona.test>\r\n\r\nhello`),
  'header of 1 MB': Buffer.from(`${HEAD}X-Long: ${'a'.repeat(1_000_000)}\r\n\r\nhello`),
  '100,000 header lines': Buffer.from(`${HEAD}${'X: a\r\n'.repeat(100_000)}\r\nhello`),
  '20,000 multiparts': Buffer.from(`${HEAD}${multipart('b')}${`--b\r\n${multipart('c')}`.repeat(20_000)}`),
  'depth of 150': Buffer.from(`${HEAD}${Array.from({ length: 150 }, (_, depth) => `${multipart(`b${depth}`)}--b${depth}\r\n`).join('')}\r\nhello`),
  'a million empty lines': Buffer.from(`${HEAD}\r\n${'\n'.repeat(1_000_000)}`),
  'delivery status of nothing': Buffer.from(
    `${HEAD}Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n` +
      '--b\r\nContent-Type: message/delivery-status\r\n\r\n\r\n\r\n--b--\r\n',
  ),
};
