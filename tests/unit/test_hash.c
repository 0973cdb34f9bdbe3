/* test_hash.c - SHA-256 against known digests. */
#include "unit/unit.h"

#include "base/hash.h"

/* FIPS 180-4 examples and the NIST test vectors everybody uses. */
static const struct {
    const char *text, *hex;
} vectors[] = {
    { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
    { "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
    { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
    { "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmn"
      "opqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1" },
};

static void digests_are_those_of_the_standard(void **state)
{
    for (size_t i = 0; i < COUNT_OF(vectors); i++)
        assert_string_equal(hash_hex(hash_of(str(vectors[i].text))).text, vectors[i].hex);
}

static void a_million_letters_hash_as_the_standard_says(void **state)
{
    AUTO(Arena) a = { 0 };
    char *text = arena_alloc(&a, 1000000, 1);
    memset(text, 'a', 1000000);
    assert_string_equal(hash_hex(hash_of((Str){ text, 1000000 })).text,
                        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void parts_hash_as_their_whole(void **state)
{
    Str whole = str(vectors[3].text);
    for (size_t cut = 0; cut <= whole.n; cut++) {
        HashState h;
        hash_init(&h);
        hash_add(&h, str_slice(whole, 0, cut));
        hash_add(&h, (Str){ 0 });
        hash_add(&h, str_from(whole, cut));
        assert_true(hash_eq(hash_end(&h), hash_of(whole)));
    }
}

/* By another program, and once more through a key of another length in RFC 4231, which is hashed
 * there first: 131 bytes of 0xAA. */
static void a_mac_is_that_of_the_standard(void **state)
{
    HashMac h;
    Hash key;
    for (size_t i = 0; i < sizeof key.b; i++)
        key.b[i] = (uint8_t)i;
    hash_mac_init(&h, key);
    hash_add(&h.inner, S("what do ya want "));
    hash_add(&h.inner, S("for nothing?"));
    assert_string_equal(hash_hex(hash_mac_end(&h)).text,
                        "099805f4ac310786968565c098db515cc50862b420ae31e20238312344bed36a");
    char large[131];
    memset(large, 0xAA, sizeof large);
    hash_mac_init(&h, hash_of((Str){ large, sizeof large }));
    hash_add(&h.inner, S("Test Using Larger Than Block-Size Key - Hash Key First"));
    assert_string_equal(hash_hex(hash_mac_end(&h)).text,
                        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
    /* Keys shorter and longer than a digest. */
    assert_string_equal(hash_hex(hash_mac(S("Jefe"), S("what do ya want for nothing?"))).text,
                        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    assert_string_equal(
        hash_hex(hash_mac((Str){ large, sizeof large },
                          S("Test Using Larger Than Block-Size Key - Hash Key First")))
            .text,
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

static void fields_do_not_run_together(void **state)
{
    HashState h;
    hash_init(&h);
    hash_add_field(&h, S("ab"));
    hash_add_field(&h, S("c"));
    Hash first = hash_end(&h);
    hash_init(&h);
    hash_add_field(&h, S("a"));
    hash_add_field(&h, S("bc"));
    assert_false(hash_eq(first, hash_end(&h)));
}

static void numbers_hash_as_eight_bytes_little_endian(void **state)
{
    HashState h;
    hash_init(&h);
    hash_add_u64(&h, UINT64_C(0x0807060504030201));
    assert_true(hash_eq(hash_end(&h), hash_of(S("\1\2\3\4\5\6\7\10"))));
    hash_init(&h);
    hash_add_field(&h, S("abc"));
    assert_true(hash_eq(hash_end(&h), hash_of(S("\3\0\0\0\0\0\0\0abc"))));
}

static void hex_reads_back_and_nothing_else_does(void **state)
{
    Hash h = hash_of(S("abc")), back = { 0 };
    HashHex hex = hash_hex(h);
    assert_int_equal(strlen(hex.text), HASH_HEX);
    assert_true(hash_parse(str(hex.text), &back));
    assert_true(hash_eq(h, back));
    char wrong[HASH_HEX + 2];
    for (size_t i = 0; i < HASH_HEX; i++) {
        memcpy(wrong, hex.text, sizeof hex.text);
        wrong[i] = "G g/:`A\0"[i % 8];
        assert_false(hash_parse((Str){ wrong, HASH_HEX }, &back));
    }
    assert_true(hash_eq(h, back)); /* left alone */
    assert_false(hash_parse(str_slice(str(hex.text), 0, 63), &back));
    memcpy(wrong, hex.text, sizeof hex.text);
    wrong[HASH_HEX] = '0';
    assert_false(hash_parse((Str){ wrong, HASH_HEX + 1 }, &back));
    assert_false(hash_parse((Str){ 0 }, &back));
}

static void only_zero_is_zero(void **state)
{
    assert_true(hash_is_zero((Hash){ 0 }));
    for (size_t i = 0; i < 32; i++) {
        Hash h = { 0 };
        h.b[i] = 1;
        assert_false(hash_is_zero(h));
        assert_false(hash_eq(h, (Hash){ 0 }));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_are_those_of_the_standard),
        cmocka_unit_test(a_million_letters_hash_as_the_standard_says),
        cmocka_unit_test(parts_hash_as_their_whole),
        cmocka_unit_test(a_mac_is_that_of_the_standard),
        cmocka_unit_test(fields_do_not_run_together),
        cmocka_unit_test(numbers_hash_as_eight_bytes_little_endian),
        cmocka_unit_test(hex_reads_back_and_nothing_else_does),
        cmocka_unit_test(only_zero_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
