import { signTimestamped } from '../../../simulator/delivery/signedDelivery';

test('a body is signed as openssl signs it', () => {
	// printf '1700000000.{"id":"whevt_1"}' | openssl dgst -sha256 -hmac 'a signing secret'
	expect(signTimestamped('a signing secret', 1_700_000_000, '{"id":"whevt_1"}')).toBe(
		't=1700000000,v1=2e476d5997cf32e92c0ddf394d88d94349a769db0d734dfadb74b3e432642b35',
	);
});

test('a timestamp given as text is signed and shown as it is', () => {
	expect(signTimestamped('s', '007', 'x')).toMatch(/^t=007,v1=[0-9a-f]{64}$/);
	expect(signTimestamped('s', '007', 'x').slice(-64)).not.toBe(
		signTimestamped('s', 7, 'x').slice(-64),
	);
});
